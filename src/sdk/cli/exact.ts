/**
 * JSON that is sent and printed as it was given: JSON.parse and JSON.stringify change numbers above 2^53, and escapes
 * and spaces. Until it is sent or printed, a mark stands for it, which nobody can guess.
 */
import type { Fetch } from "../client";

const MARK = crypto.randomUUID();
const MARKED = new RegExp(`"${MARK}([^"]*)"`, "g");
const texts: string[] = [];

/** What to pass on, and to put into other values, in place of the value of a JSON text. */
export function exactly(json: string): unknown {
  texts.push(json);
  return `${MARK}:${texts.length - 1}`;
}

/** A string, whose content is not looked at, or a number. */
const STRING_OR_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/gs;

/** The JSON text with the numbers that JSON.stringify would not write again replaced by what `replace` returns. */
export const replaceNumbers = (json: string, replace: (literal: string) => string): string =>
  json.replace(STRING_OR_NUMBER, (token) =>
    token.startsWith('"') || String(Number(token)) === token ? token : replace(token),
  );

/** As JSON.parse. Numbers that this would change are kept as they were written. */
export const parseExactly = (json: string): unknown => JSON.parse(markNumbers(json));

const markNumbers = (json: string): string => replaceNumbers(json, (literal) => `"${MARK}${literal}"`);

/** As JSON.stringify, with what `exactly` and `parseExactly` have kept. */
export const stringifyExactly = (value: unknown): string => unmarked(JSON.stringify(value));

const unmarked = (json: string): string =>
  json.replace(MARKED, (_, kept: string) => (kept.startsWith(":") ? (texts[Number(kept.slice(1))] ?? "") : kept));

/** Sends what is marked as it was given. */
export const sendExactly: Fetch = (url, init) =>
  fetch(url, typeof init.body === "string" ? { ...init, body: unmarked(init.body) } : init);

/** Receives JSON as `parseExactly` reads it. */
export const receiveExactly: Fetch = async (url, init) => {
  const response = await fetch(url, init);
  return new Response(markNumbers(await response.text()), response);
};
