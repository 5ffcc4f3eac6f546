/** Counts what a validation costs. */

const MAX_STEPS = 200_000;
/** How many comparisons cost as much as a subschema on a value. */
const COMPARISONS_PER_STEP = 10;

/** Thrown when a validation has cost as much as it may. */
export class TooCostly extends Error {}

const MAX_COMPARISONS = MAX_STEPS * COMPARISONS_PER_STEP;
/** How much more than one validation those of one request may cost together. */
const PER_REQUEST = 5;

export class ValidationMeter {
  #spent = 0;

  /** `request` counts the other validations of the same request. */
  constructor(readonly request?: RequestMeter) {}

  /** Counts a subschema on a value. Throws TooCostly. */
  step(): void {
    this.compare(COMPARISONS_PER_STEP);
  }

  /** Counts comparisons of single values, characters or states. Throws TooCostly. */
  compare(count: number): void {
    this.#spent += count;
    if (this.request) this.request.left -= count;
    if (this.#spent > MAX_COMPARISONS || (this.request && this.request.left < 0)) throw new TooCostly("too costly");
  }
}

/** What the validations of one request, such as those of a batch, may still cost. */
export class RequestMeter {
  left = PER_REQUEST * MAX_COMPARISONS;
}
