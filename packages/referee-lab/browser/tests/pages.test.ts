import assert from "node:assert/strict";
import { test } from "node:test";
import { readAddress } from "../src/participant/address.ts";
import { preload } from "../src/participant/preload.ts";
import { prose } from "../src/common/prose.ts";
import { wilson } from "../src/organiser/charts.ts";
import { speaker } from "../src/common/strings.ts";

function html(source: string): string {
  const holder = document.createElement("div");
  holder.append(prose(source));
  return holder.innerHTML;
}

test("prose keeps headings, lists and emphasis", () => {
  assert.equal(html("<h1>Hello</h1><ul><li>one <em>two</em></li></ul>"), "<h1>Hello</h1><ul><li>one <em>two</em></li></ul>");
});

test("prose lets no script, no handler, no style and no foreign address through", () => {
  assert.equal(html("<script>alert(1)</script><p onclick='x()' style='color:red'>a</p>"), "<p>a</p>");
  assert.equal(html("<img src=x onerror=alert(1)>"), "<img>");
  assert.equal(html("<img src='//evil.example/x.png'>"), "<img>");
  assert.ok(!html("<a href='javascript:alert(1)'>a</a>").includes("javascript"));
  assert.equal(html("<form action='/x'><b>b</b></form>"), "<b>b</b>");
});

test("pictures are loaded a few at a time, tried again, and what fails is named", async () => {
  let [now, most] = [0, 0];
  const tries = new Map<string, number>();
  const load = async (address: string): Promise<void> => {
    most = Math.max(most, ++now);
    await new Promise((resolve) => setTimeout(resolve, 1));
    now -= 1;
    const n = (tries.get(address) ?? 0) + 1;
    tries.set(address, n);
    if (address === "bad" || (address === "slow" && n < 3)) throw new Error("no");
  };
  const told: number[] = [];
  const failed = await preload([...Array.from({ length: 40 }, (_, i) => `p${i}`), "slow", "bad"], (done) => told.push(done), load);
  assert.deepEqual(failed, ["bad"]);
  assert.equal(most, 6);
  assert.equal(told.at(-1), 42);
});

test("the link names the study and the platform's ids, and nothing else is taken from it", () => {
  const address = readAddress({ pathname: "/s/my-study/", search: "?PROLIFIC_PID=abc&STUDY_ID=s&SESSION_ID=t&evil=1" });
  assert.equal(address.base, "/s/my-study/");
  assert.equal(address.study, "my-study");
  assert.deepEqual(address.platform, { PROLIFIC_PID: "abc", STUDY_ID: "s", SESSION_ID: "t" });
  assert.ok(readAddress({ pathname: "/s/x/", search: "?assignmentId=ASSIGNMENT_ID_NOT_AVAILABLE" }).preview);
});

test("a study's words replace the English ones, one by one", () => {
  const say = speaker({ continue: "Weiter", object: "Gegenstand {n}" });
  assert.equal(say("continue"), "Weiter");
  assert.equal(say("object", { n: 3 }), "Gegenstand 3");
  assert.equal(say("withdraw"), "Withdraw");
});

test("Wilson's interval is the printed one (Newcombe 1998, Table I: 81 of 263, 15 of 148, 0 of 20, 1 of 29)", () => {
  const rounded = (successes: number, n: number): number[] => wilson(successes, n).map((x) => Number(x.toFixed(4)));
  assert.deepEqual(rounded(81, 263), [0.2553, 0.3662]);
  assert.deepEqual(rounded(15, 148), [0.0624, 0.1605]);
  assert.deepEqual(rounded(0, 20), [0, 0.1611]);
  assert.deepEqual(rounded(1, 29), [0.0061, 0.1718]);
});
