// Answers on this device that the server has not acknowledged yet, one record each; a reload, a crash or a dead network does not take them away.

import { makeUuid } from "./memory.ts";
import type { TrialBody } from "./plan.ts";

export interface Letter {
  uuid: string;
  session: string;
  order: number;
  body: TrialBody;
}

// The trial that is on the screen: found after a reload, it was interrupted.
export interface Underway {
  session: string;
  uuid: string;
  index: number;
  attempt: number;
}

export interface Outbox {
  begin(underway: Underway): Promise<void>;
  end(session: string, letter: Letter | null): Promise<void>;
  underway(session: string): Promise<Underway | null>;
  letters(session: string): Promise<Letter[]>;
  replace(letter: Letter): Promise<void>;
  acknowledge(uuid: string): Promise<void>;
  forget(session: string): Promise<void>;
}

export function letterOf(session: string, uuid: string | null, body: TrialBody): Letter {
  return { uuid: uuid ?? makeUuid(), session, order: performance.timeOrigin + performance.now(), body };
}

function inOrder(letters: Letter[]): Letter[] {
  return letters.sort((a, b) => a.order - b.order);
}

// A browser that aborts of itself gives no error of its own.
function failure(error: DOMException | null): Error {
  return error ?? new Error("the browser's database gave up");
}

function done(request: IDBTransaction): Promise<void> {
  return new Promise((resolve, reject) => {
    request.oncomplete = () => resolve();
    request.onabort = request.onerror = () => reject(failure(request.error));
  });
}

function answer<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(failure(request.error));
  });
}

class DatabaseOutbox implements Outbox {
  constructor(private readonly database: IDBDatabase) {}

  begin(underway: Underway): Promise<void> {
    return this.write((_, marks) => void marks.put(underway));
  }

  // In one transaction: the trial is no longer under way exactly when its answer is in the box.
  end(session: string, letter: Letter | null): Promise<void> {
    return this.write((letters, marks) => {
      if (letter) letters.put(letter);
      marks.delete(session);
    });
  }

  async underway(session: string): Promise<Underway | null> {
    return (await answer<Underway | undefined>(this.database.transaction("marks").objectStore("marks").get(session))) ?? null;
  }

  async letters(session: string): Promise<Letter[]> {
    const store = this.database.transaction("letters").objectStore("letters");
    return inOrder(await answer<Letter[]>(store.index("session").getAll(session)));
  }

  replace(letter: Letter): Promise<void> {
    return this.write((letters) => void letters.put(letter));
  }

  acknowledge(uuid: string): Promise<void> {
    return this.write((letters) => void letters.delete(uuid));
  }

  async forget(session: string): Promise<void> {
    const letters = await this.letters(session);
    await this.write((store, marks) => {
      letters.forEach((letter) => store.delete(letter.uuid));
      marks.delete(session);
    });
  }

  private write(act: (letters: IDBObjectStore, marks: IDBObjectStore) => void): Promise<void> {
    const transaction = this.database.transaction(["letters", "marks"], "readwrite");
    act(transaction.objectStore("letters"), transaction.objectStore("marks"));
    return done(transaction);
  }
}

// Where a browser forbids databases, answers are kept for as long as the page lives.
export class PageOutbox implements Outbox {
  private readonly kept = new Map<string, Letter>();
  private readonly marks = new Map<string, Underway>();

  async begin(underway: Underway): Promise<void> {
    this.marks.set(underway.session, underway);
  }

  async end(session: string, letter: Letter | null): Promise<void> {
    if (letter) this.kept.set(letter.uuid, letter);
    this.marks.delete(session);
  }

  async underway(session: string): Promise<Underway | null> {
    return this.marks.get(session) ?? null;
  }

  async letters(session: string): Promise<Letter[]> {
    return inOrder([...this.kept.values()].filter((letter) => letter.session === session));
  }

  async replace(letter: Letter): Promise<void> {
    this.kept.set(letter.uuid, letter);
  }

  async acknowledge(uuid: string): Promise<void> {
    this.kept.delete(uuid);
  }

  async forget(session: string): Promise<void> {
    (await this.letters(session)).forEach((letter) => this.kept.delete(letter.uuid));
    this.marks.delete(session);
  }
}

function openDatabase(name: string): Promise<IDBDatabase> {
  const request = indexedDB.open(name, 1);
  request.onupgradeneeded = () => {
    request.result.createObjectStore("letters", { keyPath: "uuid" }).createIndex("session", "session");
    request.result.createObjectStore("marks", { keyPath: "session" });
  };
  return answer(request);
}

export async function openOutbox(study: string): Promise<Outbox> {
  try {
    return new DatabaseOutbox(await openDatabase(`referee-${study}`));
  } catch {
    return new PageOutbox();
  }
}
