/**
 * What of a request can be read before its caller is known. Only the caller of this connection learns what is wrong
 * with it, so a fault is thrown once the caller is known.
 */
export type Tried<T> = { value: T } | { fault: unknown };

export async function attempt<T>(work: () => T | Promise<T>): Promise<Tried<T>> {
  try {
    return { value: await work() };
  } catch (fault) {
    return { fault };
  }
}

export function resultOf<T>(made: Tried<T>): T {
  if ("fault" in made) throw made.fault;
  return made.value;
}
