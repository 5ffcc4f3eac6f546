/** Options that are known and in range, with their defaults. */
import type { HandleOptions } from "./options";

const RECEIVER = /^[\x21-\x7e]{1,64}$/;
const MAX_POISON_AFTER = 100;
const MAX_WAITS = 100;
const DEFAULT_MAX_WAITS = 2;

const KNOWN = new Set<string>([
  "secret",
  "store",
  "receiver",
  "poisonAfter",
  "onPoison",
  "onGap",
  "onLate",
  "maxWaits",
  "onError",
  "showErrors",
  "json",
] satisfies (keyof HandleOptions<unknown>)[]);

const STORE_METHODS = ["look", "commit", "fail"] as const;
const CALLBACKS = ["onPoison", "onGap", "onLate", "onError"] as const;

/** The options with their defaults. Throws TypeError for an unknown one, and one that cannot work. */
export function checkedOptions<Tx, Payload>(options: HandleOptions<Tx, Payload>) {
  const unknown = Object.keys(options).find((name) => !KNOWN.has(name));
  if (unknown) throw new TypeError(`Unknown option: ${unknown}.`);
  const { receiver = "default", poisonAfter = Infinity, maxWaits = DEFAULT_MAX_WAITS, showErrors = false } = options;
  if (!RECEIVER.test(receiver)) throw new TypeError("receiver must be 1 to 64 printable characters.");
  if (poisonAfter !== Infinity && !isWhole(poisonAfter, 1, MAX_POISON_AFTER)) {
    throw new TypeError(`poisonAfter must be a whole number from 1 to ${MAX_POISON_AFTER}.`);
  }
  if (!isWhole(maxWaits, 0, MAX_WAITS)) throw new TypeError(`maxWaits must be a whole number from 0 to ${MAX_WAITS}.`);
  for (const name of STORE_METHODS) {
    if (typeof options.store?.[name] !== "function") throw new TypeError(`store must have the method ${name}.`);
  }
  for (const name of CALLBACKS) {
    const callback = options[name];
    if (callback !== undefined && typeof callback !== "function") throw new TypeError(`${name} must be a function.`);
  }
  if (typeof showErrors !== "boolean") throw new TypeError("showErrors must be true or false.");
  const { secret, store, onPoison, onGap = () => "handle" as const, onLate = () => "handle" as const } = options;
  return {
    secret,
    store,
    receiver,
    poisonAfter,
    maxWaits,
    onPoison,
    onGap,
    onLate,
    onError: options.onError,
    showErrors,
    json: options.json,
  };
}

const isWhole = (value: number, least: number, most: number) =>
  Number.isInteger(value) && value >= least && value <= most;
