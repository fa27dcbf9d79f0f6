import assert from "node:assert/strict";
import { test } from "node:test";
import { isBusy, isCrowded, mayPass, pauseAfter } from "../src/common/patience.ts";
import { Refusal, Server, Silence, wordsOf, type Fetcher } from "../src/common/server.ts";
import { Api } from "../src/participant/api.ts";

interface Asked {
  address: string;
  init: RequestInit;
}

// A server that gives one reply to everything, and what it was asked.
function serverThat(reply: () => Response, token: string | null = "t"): { server: Server; asked: Asked[] } {
  const asked: Asked[] = [];
  const fetcher: Fetcher = (address, init = {}) => {
    asked.push({ address: address as string, init });
    return new Promise((resolve) => resolve(reply()));
  };
  return { server: new Server({ base: "/s/demo/", token: () => token, headers: { "X-Referee-Tab": "tab" }, fetcher }), asked };
}

const json = (status: number, said: unknown, headers: Record<string, string> = {}): Response => new Response(JSON.stringify(said), { status, headers });

test("a question has the token, the page's own headers and its body as JSON, and nothing is cached or followed elsewhere", async () => {
  const { server, asked } = serverThat(() => json(200, { saved: true }));
  assert.deepEqual(await server.ask("PUT", "api/trials/u", { index: 1 }), { saved: true });
  const { address, init } = asked[0]!;
  assert.equal(address, "/s/demo/api/trials/u");
  assert.deepEqual(init.headers, { "X-Referee-Tab": "tab", "Authorization": "Bearer t", "Content-Type": "application/json" });
  assert.deepEqual([init.method, init.body, init.cache, init.credentials, init.redirect, init.keepalive], ["PUT", '{"index":1}', "no-store", "omit", "error", false]);
});

test("without a token or a body nothing is said about either", async () => {
  const { server, asked } = serverThat(() => json(200, {}), null);
  await server.ask("GET", "api/plan");
  assert.deepEqual(asked[0]!.init.headers, { "X-Referee-Tab": "tab" });
  assert.equal(asked[0]!.init.body, null);
});

test("a sound goes as it is", async () => {
  const { server, asked } = serverThat(() => json(200, { saved: true }));
  const sound = new Blob(["abc"]);
  await server.ask("PUT", "room/r/voice/1", sound);
  assert.equal(asked[0]!.init.body, sound);
  assert.equal((asked[0]!.init.headers as Record<string, string>)["Content-Type"], "application/octet-stream");
});

test("a refusal has its name, its words, and when to come again", async () => {
  const { server } = serverThat(() => json(429, { problem: "busy", message: "Later.", attempt: 3 }, { "Retry-After": "7" }));
  await assert.rejects(server.ask("GET", "x"), (error: unknown) => {
    assert.ok(error instanceof Refusal);
    assert.deepEqual([error.status, error.problem, error.message, error.more.attempt, error.retryAfter], [429, "busy", "Later.", 3, 7]);
    assert.ok(isBusy(error) && mayPass(error));
    assert.equal(pauseAfter(error, 0, 1), 7000);
    return true;
  });
});

test("a server with too much to do says when to come again, and a crowd does not come back in one moment", async () => {
  const { server } = serverThat(() => json(503, { problem: "busy", message: "Later." }, { "Retry-After": "3" }));
  await assert.rejects(server.ask("GET", "x"), (error: unknown) => {
    assert.ok(error instanceof Silence && error.crowded && isCrowded(error) && mayPass(error));
    assert.deepEqual([pauseAfter(error, 0, 0), pauseAfter(error, 0, 1)], [3000, 6000]);
    return true;
  });
  const { server: broken } = serverThat(() => json(503, { problem: "storage" }));
  await assert.rejects(broken.ask("GET", "x"), (error: unknown) => !isCrowded(error));
});

test("a failing server, one that does not answer and one that speaks no JSON are silent, not refusing", async () => {
  const replies = [() => json(500, { problem: "x" }), () => json(408, {}), () => new Response("<html>", { status: 404 }), () => new Response("", { status: 200 })];
  for (const reply of replies) await assert.rejects(serverThat(reply).server.ask("GET", "x"), Silence);
  const unreachable = serverThat(() => {
    throw new TypeError("Failed to fetch");
  });
  await assert.rejects(unreachable.server.ask("GET", "x"), (error: unknown) => error instanceof Silence && mayPass(error) && wordsOf(error) === "Failed to fetch");
});

test("a file comes as it is, and where it does not come the refusal says so", async () => {
  assert.equal(await (await serverThat(() => new Response("zip")).server.fetchFile("export.zip")).text(), "zip");
  await assert.rejects(serverThat(() => json(403, {})).server.fetchFile("export.zip"), (error: unknown) => error instanceof Refusal && wordsOf(error) === "The server answered 403.");
});

test("in parting nobody waits, and a failure is nobody's", () => {
  const kept: unknown[] = [];
  const api = new Api("/s/demo/", "tab", (_, init) => {
    kept.push(init?.keepalive);
    return Promise.reject(new TypeError("gone"));
  });
  api.saveInParting("u", { index: 0, attempt: 1, state: "done", answer: {}, times: {}, flags: [], sent_ms: 0 });
  assert.deepEqual(kept, [true]);
});
