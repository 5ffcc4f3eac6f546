/**
 * The same pages are mounted at several paths, and do not call a subscription the same everywhere. Whoever mounts them
 * provides both, and their links, forms and texts read them.
 */
import { type Child, createContext, type JSX, useContext } from "hono/jsx";
import { ACCOUNT_PATH, addressBelow, CONSOLE_PATH, SETUP_PATH } from "../../base/paths";
import type { TextKey } from "../../base/texts/en";
import { translated } from "../../base/texts/known";
import { ENGLISH, type Language, partsOf } from "../../base/texts/texts";
import { type Term, worded } from "../wording";

export interface Mount {
  /** The path at which the pages are mounted. Their addresses begin with it. */
  base: string;
  /** What an app has asked for, sealed, which the pages pass on; missing without. */
  request?: string | undefined;
  /** What the pages call a subscription. */
  term: Term;
  /** In the language of the page. */
  texts: Language;
}

export const Mounted = createContext<Mount>({ base: CONSOLE_PATH, term: "subscription", texts: ENGLISH });

/** The texts in the language of the page. */
export const useTexts = (): Language => useContext(Mounted).texts;

interface SayProps {
  of: TextKey;
  /** What stands in place of the names in the text. */
  values?: Readonly<Record<string, Child>>;
}

/** A text in the language of the page. */
export const Say = ({ of, values = {} }: SayProps) => <>{partsOf(useTexts().template(of), (name) => values[name])}</>;

/** Returns texts that the descriptions of options have in English, in the language of the page. */
export function useOptionTexts(): (english: string) => string {
  const texts = useTexts();
  return (english) => translated(texts, "option", english);
}

/** Values to choose from, with their texts. */
export type Choices = readonly (readonly [value: string, text: TextKey])[];

/** The choices in the language of the page. */
export function useChoices(choices: Choices): (readonly [value: string, label: string])[] {
  const texts = useTexts();
  return choices.map(([value, text]) => [value, texts.say(text)]);
}

/** Returns the addresses of pages by their paths below the mount, such as "/webhooks/new"; "" is the first page. */
export function useHref(): (to: string) => string {
  const { base, request } = useContext(Mounted);
  return (to) => addressBelow(base, to, request);
}

/** Whether the page is one on which people sign in to apps. */
export const useIsForApps = (): boolean => useContext(Mounted).base === ACCOUNT_PATH;

/** Whether the page is one of a setup link. */
export const useIsSetup = (): boolean => useContext(Mounted).base === SETUP_PATH;

/** Returns texts of ours with the word of the pages for a subscription. */
export function useWording(): (text: string) => string {
  const { term } = useContext(Mounted);
  return (text) => worded(text, term);
}

/** A text of ours, with the word of the pages for a subscription. */
export const Worded = ({ children }: { children: string }) => <>{useWording()(children)}</>;

/** A link to a page below the mount. */
export const A = ({ to, ...rest }: Omit<JSX.IntrinsicElements["a"], "href"> & { to: string }) => (
  <a href={useHref()(to)} {...rest} />
);
