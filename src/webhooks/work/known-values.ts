/** What work has found out about the values of a payload, so that nothing is listed, sorted or measured twice. */
import { isExactNumber } from "../../base/exact-json";
import { type Meter, PRICES } from "./meter";

type Json = Record<string, unknown>;

export class KnownValues {
  readonly #names = new WeakMap<object, readonly string[]>();
  readonly #texts = new WeakMap<object, string>();

  /** The names of an object's members. */
  namesOf(value: object, meter: Meter): readonly string[] {
    const known = this.#names.get(value);
    if (known) return known;
    const names = Object.keys(value);
    meter.pay(names.length * PRICES.member);
    this.#names.set(value, names);
    return names;
  }

  /** The canonical text of a value: two values are equal, key order apart, if they have the same. */
  textOf(value: unknown, meter: Meter): string {
    if (typeof value !== "object" || value === null || isExactNumber(value)) {
      meter.pay(typeof value === "string" ? value.length * PRICES.copiedCharacter : PRICES.comparison);
      return JSON.stringify(value) ?? "null";
    }
    const known = this.#texts.get(value);
    if (known !== undefined) return known;
    const text = this.#made(value, meter);
    this.#texts.set(value, text);
    return text;
  }

  #made(value: object, meter: Meter): string {
    const copied = (text: string) => {
      meter.pay(text.length * PRICES.copiedCharacter);
      return text;
    };
    if (Array.isArray(value)) {
      meter.pay(value.length * PRICES.member);
      return `[${value.map((one) => copied(this.textOf(one, meter))).join(",")}]`;
    }
    const names = this.namesOf(value, meter);
    meter.pay(names.length * PRICES.sortedMember);
    const members = [...names]
      .sort()
      .map((name) => `${copied(JSON.stringify(name))}:${copied(this.textOf((value as Json)[name], meter))}`);
    return `{${members.join(",")}}`;
  }
}
