// Loads and decodes every picture before the first trial, a few at a time, so that none is fetched while a clock runs.

export type LoadPicture = (address: string) => Promise<unknown>;

const AT_ONCE = 6;
const TRIES = 3;

// Decoded pictures are kept in hand: a browser may throw away what nobody holds.
const held: HTMLImageElement[] = [];

export async function loadPicture(address: string): Promise<void> {
  const picture = new Image();
  picture.src = address;
  await picture.decode();
  held.push(picture);
}

async function tryOften(address: string, load: LoadPicture): Promise<boolean> {
  for (let attempt = 0; attempt < TRIES; attempt++) {
    try {
      await load(address);
      return true;
    } catch {
      continue;
    }
  }
  return false;
}

// Returns the addresses that failed.
export async function preload(addresses: readonly string[], tell: (done: number) => void, load: LoadPicture = loadPicture): Promise<string[]> {
  const waiting = [...addresses];
  const failed: string[] = [];
  let finished = 0;
  const work = async (): Promise<void> => {
    for (let address = waiting.shift(); address !== undefined; address = waiting.shift()) {
      if (!(await tryOften(address, load))) failed.push(address);
      tell(++finished);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return failed;
}
