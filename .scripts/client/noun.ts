/**
 * The nouns of the client. A method is called as its operation, without the word for the noun and without `get` and
 * `list` before another word: `addSourceSecret` is `sources.addSecret`, and `listSourceErrors` is `sources.errors`.
 */

export interface Noun {
  /** Its interface is this name and `Methods`, or `Endpoints` if the file of the noun extends it by hand. */
  type: string;
  /** How operations call it; `type` unless given. */
  word?: string;
  /** An operation belongs to the noun with the longest beginning of its path. */
  paths: readonly string[];
  /** The docstring of the interface, and an example. Missing if the file of the noun has them. */
  about?: string;
  example?: string;
  /** Methods that are not called as their operation. */
  names?: Readonly<Record<string, string>>;
  /** Operations whose methods are written by hand. */
  byHand?: readonly string[];
}
