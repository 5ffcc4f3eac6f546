/** Reads JSON. */
export interface Parser {
  parse: (text: string) => unknown;
}
