/**
 * Invocations of the Worker in a schedule. One that is killed makes no more calls, and gets no answer to those that it
 * has made.
 */
import { AsyncLocalStorage } from "node:async_hooks";

export interface Invocation {
  readonly name: string;
  isDead: boolean;
  /** Resolves when it is killed. */
  readonly killed: Promise<void>;
  kill(): void;
  /** What it has started: its handler and what `waitUntil` was given. */
  readonly work: Promise<unknown>[];
  /** Its calls that have not been answered, by name. */
  readonly unanswered: Map<string, number>;
  /** The names of its calls that have been answered, or have failed. */
  readonly answered: Set<string>;
  /** How many calls to D1 it has made. */
  databaseCalls: number;
  /**
   * Waits for one of the six connections that the platform gives an invocation. Returns the function that closes it.
   */
  connect(): Promise<() => void>;
}

/** An invocation may have so many connections open at once; other calls wait. */
const MAX_CONNECTIONS = 6;

/** Resolves, in order, to the function that lets the next one go on. */
function semaphore(most: number): Invocation["connect"] {
  let free = most;
  const waiting: (() => void)[] = [];
  const close = () => {
    const next = waiting.shift();
    if (next) next();
    else free += 1;
  };
  return async () => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    return close;
  };
}

const current = new AsyncLocalStorage<Invocation | undefined>();

/** The invocation that the current code runs in. */
export const invocationNow = (): Invocation | undefined => current.getStore();

export const runIn = <T>(invocation: Invocation | undefined, work: () => T): T => current.run(invocation, work);

/** The answer to a call that nobody waits for any more: none. */
export const never = <T>(): Promise<T> => new Promise(() => undefined);

export function newInvocation(name: string): Invocation {
  const { promise: killed, resolve } = Promise.withResolvers<void>();
  const invocation: Invocation = {
    name,
    killed,
    isDead: false,
    kill: () => {
      invocation.isDead = true;
      resolve();
    },
    work: [],
    unanswered: new Map(),
    answered: new Set(),
    databaseCalls: 0,
    connect: semaphore(MAX_CONNECTIONS),
  };
  return invocation;
}

/** Resolves when everything that it has started has ended, or when it is killed. */
export async function ended(invocation: Invocation): Promise<void> {
  const all = async () => {
    for (let count = -1; count !== invocation.work.length; ) {
      count = invocation.work.length;
      await Promise.allSettled(invocation.work);
    }
  };
  await Promise.race([all(), invocation.killed]);
}
