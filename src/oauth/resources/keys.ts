/** The ids and secrets of resources. A wrong id is refused without D1. */
import { isChecked, makeChecked } from "../../base/crypto/checked-token";

const [ID, SECRET] = [
  { prefix: "pr_", random: 22, form: /^pr_[0-9A-Za-z]{28}$/ },
  { prefix: "prs_", random: 34, form: /^prs_[0-9A-Za-z]{40}$/ },
];
const SHOWN_CHARACTERS = 8;

/** Our own API. */
export const API_RESOURCE = "api";

export const newResourceId = (): string => makeChecked(ID.prefix, ID.random);
export const newResourceSecret = (): string => makeChecked(SECRET.prefix, SECRET.random);
export const isRegisteredId = (text: string): boolean => ID.form.test(text) && isChecked(text);
export const isResourceSecret = (text: string): boolean => SECRET.form.test(text) && isChecked(text);
/** What is shown of a secret. */
export const shownSecret = (secret: string): string => `${secret.slice(0, SHOWN_CHARACTERS)}…`;
