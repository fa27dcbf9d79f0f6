// What draws the figures of a report: `vegaEmbed` with Vega and Vega-Lite, for a page that loads nothing from anywhere.
import embed from "vega-embed";

declare global {
  interface Window {
    vegaEmbed: typeof embed;
  }
}

window.vegaEmbed = embed;
