/**
 * Files beside the Worker, with what few isolates need: each isolate reads one once. They are assets that no route
 * serves.
 */
import { describeError, log } from "./log/log";
import { readBounded } from "./read-bounded";

const MAX_BYTES = 256 * 1024;
const TIMEOUT_MS = 2_000;
/** Only the path counts: the binding answers for any host. */
const HOST = "https://assets.invalid";

/** What a reading needs of `Deps`. */
export interface Reader {
  assets: Fetcher;
  background(what: string, work: Promise<unknown>): void;
}

export interface FileBeside<T extends object> {
  /** Its path in the folder of the assets. */
  path: string;
  parse(text: string): T;
}

/** What has been read or is being read, by path. */
const readings = new Map<string, Promise<object | null>>();

/** For tests. */
export const forgetFiles = (): void => readings.clear();

/** What is in the file; null if it cannot be read, which the next caller tries again. */
export async function readOnce<T extends object>(reader: Reader, file: FileBeside<T>): Promise<T | null> {
  const { path } = file;
  const reading = (readings.get(path) as Promise<T | null> | undefined) ?? beginReading(reader, file);
  const content = await reading;
  if (content === null && readings.get(path) === reading) readings.delete(path);
  return content;
}

/** Other requests wait for the reading too, so it goes on when the client of this one goes away. */
function beginReading<T extends object>({ assets, background }: Reader, file: FileBeside<T>): Promise<T | null> {
  const reading = readOrNull(assets, file);
  readings.set(file.path, reading);
  background("read a file", reading);
  return reading;
}

async function readOrNull<T extends object>(assets: Fetcher, { path, parse }: FileBeside<T>) {
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const response = await assets.fetch(`${HOST}/${path}`, { signal });
    if (!response.ok) throw new Error(`status ${response.status}`);
    return parse(new TextDecoder().decode(await readBounded(response, signal, MAX_BYTES)));
  } catch (error) {
    log("error", "file not read", { file: path, ...describeError(error) });
    return null;
  }
}
