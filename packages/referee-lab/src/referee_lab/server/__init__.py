"""The server of a study: sessions, the store that keeps every answer, and the web application."""
