/** What an import leaves out of the types that it takes, and which types it does not take. */
import type { AppError } from "../../../base/errors";

/** What was left out of a type that was taken. */
export interface Ignored {
  type: string;
  /** Where it is, such as `openapi.webhooks.order.paid.schema.properties.total.format`. */
  path: string;
  keyword: string;
}

/** Why a type was not taken. */
export interface Failed {
  type: string;
  path: string;
  message: string;
}

/** An answer lists so many; the others are counted. */
export const MAX_IGNORED = 1000;
const MAX_REASONS_OF_A_TYPE = 3;
const MAX_TEXT_CHARACTERS = 500;

export class ImportReport {
  #ignored: Ignored[];
  readonly #more: Map<string, number>;
  readonly failed: Failed[];
  /** Whether each failure is a conflict with what is there. */
  hasOnlyConflicts: boolean;

  /** Begins with what `before` has. */
  constructor(before?: ImportReport) {
    this.#ignored = [...(before?.ignored ?? [])];
    this.#more = new Map(before ? before.#more : []);
    this.failed = [...(before?.failed ?? [])];
    this.hasOnlyConflicts = before?.hasOnlyConflicts ?? true;
  }

  get ignored(): readonly Ignored[] {
    return this.#ignored;
  }

  /** How many more were left out than are listed. */
  get moreIgnored(): number {
    return [...this.#more.values()].reduce((sum, count) => sum + count, 0);
  }

  ignore(type: string, path: string, keyword: string): void {
    if (this.#ignored.length >= MAX_IGNORED) this.#more.set(type, (this.#more.get(type) ?? 0) + 1);
    else this.#ignored.push({ type, path: shortened(path), keyword: shortened(keyword) });
  }

  /** The type is not taken, so nothing was left out of it. The paths of the error are those of the import. */
  fail(type: string, { code, message, details = [{ path: "", message }] }: AppError): void {
    this.#ignored = this.#ignored.filter((one) => one.type !== type);
    this.#more.delete(type);
    this.hasOnlyConflicts &&= code === "CONFLICT";
    for (const { path, message: reason } of details.slice(0, MAX_REASONS_OF_A_TYPE)) {
      this.failed.push({ type: shortened(type), path: shortened(path), message: shortened(reason) });
    }
  }
}

const shortened = (text: string): string =>
  text.length > MAX_TEXT_CHARACTERS ? `${text.slice(0, MAX_TEXT_CHARACTERS)}…` : text;
