/** The ids and secrets of clients. A wrong id is refused without D1. */
import { isChecked, makeChecked } from "../../base/crypto/checked-token";

const [ID, SECRET] = [
  { prefix: "pc_", random: 22, form: /^pc_[0-9A-Za-z]{28}$/ },
  { prefix: "pcs_", random: 34, form: /^pcs_[0-9A-Za-z]{40}$/ },
];
const SHOWN_CHARACTERS = 8;

export const newClientId = (): string => makeChecked(ID.prefix, ID.random);
export const newClientSecret = (): string => makeChecked(SECRET.prefix, SECRET.random);
export const isClientId = (text: string): boolean => ID.form.test(text) && isChecked(text);
export const isClientSecret = (text: string): boolean => SECRET.form.test(text) && isChecked(text);
/** What is shown of a secret. */
export const shownSecret = (secret: string): string => `${secret.slice(0, SHOWN_CHARACTERS)}…`;
