/** The parts of filters and paths (RFC 7644 figures 1 and 7): of the grammar what directories send. */
import { ScimError, type ScimType } from "./error";

/** Longer texts are refused before they are read. */
const MAX_CHARACTERS = 2_048;
export const MAX_CONDITIONS = 5;

/** An attribute as it was written, such as `emails[type eq "work"].value`. */
export interface AttributePlace {
  /** With the URN and the member that it may have: `name.givenName`. */
  name: string;
  /** What is in the brackets; null without them. */
  conditions: readonly FilterCondition[] | null;
  /** What stands after the brackets; null without it. */
  member: string | null;
}

/** A comparison. `operator` is in lower case; `value` is undefined for `pr`, which has none. */
export interface FilterCondition {
  place: AttributePlace;
  operator: string;
  value: unknown;
}

type Token = { kind: "text"; value: string } | { kind: "word"; value: string } | { kind: "end" };

const TOKEN = /\s*(?:("(?:[^"\\]|\\.)*")|([^\s"[\]()]+)|([[\]]))/y;

/** Reads conditions joined by `and`. */
export function parseConditions(text: string): FilterCondition[] {
  const parser = new Parser(text, "invalidFilter");
  const conditions = parser.conditions(true);
  parser.expectEnd();
  return conditions;
}

/** Reads the path of a change. */
export function parsePlace(text: string): AttributePlace {
  const parser = new Parser(text, "invalidPath");
  const place = parser.place(true);
  parser.expectEnd();
  return place;
}

class Parser {
  private at = 0;

  constructor(
    private readonly source: string,
    private readonly scimType: ScimType,
  ) {
    if (source.length > MAX_CHARACTERS) throw this.wrong(`more than ${MAX_CHARACTERS} characters`);
  }

  /** At most five, so that nothing grows with the text. Brackets do not stand in brackets. */
  conditions(takesBrackets: boolean): FilterCondition[] {
    const found = [this.condition(takesBrackets)];
    while (this.takeWord("and")) {
      if (found.length === MAX_CONDITIONS) throw this.wrong(`more than ${MAX_CONDITIONS} conditions`);
      found.push(this.condition(takesBrackets));
    }
    return found;
  }

  place(takesBrackets: boolean): AttributePlace {
    const name = this.word();
    if (!takesBrackets || !this.takeWord("[")) return { name, conditions: null, member: null };
    const conditions = this.conditions(false);
    if (!this.takeWord("]")) throw this.wrong("a bracket that is not closed");
    const next = this.peek();
    if (next.kind !== "word" || !next.value.startsWith(".")) return { name, conditions, member: null };
    return { name, conditions, member: this.word().slice(1) };
  }

  expectEnd(): void {
    if (this.source.slice(this.at).trim() !== "") throw this.wrong("something that is not understood");
  }

  private condition(takesBrackets: boolean): FilterCondition {
    const place = this.place(takesBrackets);
    const operator = this.word().toLowerCase();
    return { place, operator, value: operator === "pr" ? undefined : this.value() };
  }

  private value(): unknown {
    const token = this.next();
    if (token.kind === "text") return token.value;
    if (token.kind === "word") {
      const word = token.value.toLowerCase();
      if (word === "true") return true;
      if (word === "false") return false;
    }
    throw this.wrong("a value that is neither a text in quotes nor true or false");
  }

  private word(): string {
    const token = this.next();
    if (token.kind === "word" && token.value !== "[" && token.value !== "]") return token.value;
    throw this.wrong("a name missing");
  }

  /** Whether the next word is this one, which is taken then. */
  private takeWord(word: string): boolean {
    const before = this.at;
    const token = this.next();
    if (token.kind === "word" && token.value.toLowerCase() === word) return true;
    this.at = before;
    return false;
  }

  private peek(): Token {
    const before = this.at;
    const token = this.next();
    this.at = before;
    return token;
  }

  private next(): Token {
    TOKEN.lastIndex = this.at;
    const match = TOKEN.exec(this.source);
    if (!match) return { kind: "end" };
    this.at = TOKEN.lastIndex;
    const [, quoted, word, mark] = match;
    if (quoted !== undefined) return { kind: "text", value: this.unquoted(quoted) };
    return { kind: "word", value: word ?? mark ?? "" };
  }

  private unquoted(quoted: string): string {
    try {
      return String(JSON.parse(quoted));
    } catch {
      throw this.wrong("a text that is not one of JSON");
    }
  }

  private wrong(what: string): ScimError {
    const part = this.scimType === "invalidFilter" ? "filter" : "path";
    return new ScimError(400, `The ${part} has ${what}.`, this.scimType);
  }
}
