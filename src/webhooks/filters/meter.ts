/** Bounds what evaluating filters costs. */

/** How many values a filter may read of one event. */
const MAX_VALUES = 20_000;
/** How many the filters may read for one request, which may have many events. */
const MAX_VALUES_TOGETHER = 2_000_000;
/** A text counts as one value for each of these characters that it has. */
const VALUE_CHARACTERS = 1024;

/** Thrown when a filter would read more. */
export class TooManyValues extends Error {}

/** What the filters of one request have read. */
export class RequestValues {
  left = MAX_VALUES_TOGETHER;
}

export class FilterMeter {
  #left: number;

  /** `times`: how often the filter may read as many values as once. */
  constructor(
    readonly request: RequestValues = new RequestValues(),
    times = 1,
  ) {
    this.#left = times * MAX_VALUES;
  }

  /** Counts a value. Throws TooManyValues. */
  read(value: unknown): void {
    const values = typeof value === "string" ? 1 + Math.floor(value.length / VALUE_CHARACTERS) : 1;
    this.#left -= values;
    this.request.left -= values;
    if (this.#left < 0 || this.request.left < 0) throw new TooManyValues("a filter reads too many values");
  }
}
