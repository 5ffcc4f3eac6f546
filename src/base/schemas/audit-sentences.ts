/** What an actor did, as a sentence without its subject, from the templates of the audit log's actions. */
import { ACTION_NAMES, AUDIT_ACTIONS, type AuditAction } from "./audit-actions";

/** Values that are words of the code. */
const WORDS: Readonly<Record<string, string>> = {
  password: "a password",
  code: "a mailed code",
  passkey: "a passkey",
  provider: "a provider",
  "sign-on": "single sign-on",
  directory: "a directory",
  "legacy-login": "a sign-in that the former service confirmed",
};

/** A part of a sentence: a name or a value of this event, or the words around it. */
export interface Part {
  text: string;
  isValue: boolean;
}

/** What somebody did, as a mail tells it. */
export interface ToldAct {
  action: AuditAction;
  /** Members of the event's meta. */
  values: Readonly<Record<string, unknown>>;
  /** The name of the tenant; null for the service itself. */
  tenant: string | null;
  /** The name of an event type; null for anything else. */
  name: string | null;
  /** How often. */
  count: number;
}

/** `[ as {role}]`, `{target|a member|the member }`, or the words up to one of them. */
const TOKEN = /\[([^\]]*)\]|\{([^}]*)\}|[^[{]+/g;

/** The parts of the sentence. `values` has the target's name and the members of the event's meta. */
export function sentenceOf(action: string, values: Readonly<Record<string, unknown>>): Part[] {
  if (!isAction(action)) return [{ text: action, isValue: false }];
  return sentenceIn(AUDIT_ACTIONS[action], values);
}

/** The sentence of an action, for no event in particular. */
export const sentenceWithoutValues = (action: AuditAction): string =>
  sentenceIn(AUDIT_ACTIONS[action], {})
    .map(({ text }) => text)
    .join("");

/** The names of the members of the meta that the sentence tells. */
export const toldBy = (action: string): readonly string[] =>
  isAction(action) ? [...AUDIT_ACTIONS[action].matchAll(/\{(\w+)/g)].map(([, name = ""]) => name) : [];

const isAction = (name: string): name is AuditAction => ACTION_NAMES.includes(name as AuditAction);

/** The parts of a template, which other languages have too. */
export function sentenceIn(template: string, values: Readonly<Record<string, unknown>>): Part[] {
  return [...template.matchAll(TOKEN)].flatMap(([words, optional, placeholder]) => {
    if (optional !== undefined) return isGiven(optional, values) ? sentenceIn(optional, values) : [];
    if (placeholder === undefined) return [{ text: words, isValue: false }];
    const [name = "", without = "", before = ""] = placeholder.split("|");
    const value = textOf(values[name]);
    if (value === "") return [{ text: without, isValue: false }];
    const word = name === "method" ? WORDS[value] : undefined;
    if (word !== undefined) return [{ text: word, isValue: false }];
    return [
      { text: before, isValue: false },
      { text: value, isValue: true },
    ];
  });
}

const isGiven = (optional: string, values: Readonly<Record<string, unknown>>): boolean =>
  [...optional.matchAll(/\{(\w+)/g)].every(([, name = ""]) => textOf(values[name]) !== "");

const textOf = (value: unknown): string => (value === undefined || value === null ? "" : [value].flat().join(", "));
