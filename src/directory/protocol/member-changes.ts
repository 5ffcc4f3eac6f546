/**
 * What operations do to the members of a group, as one change of the set. It is written by statements about its
 * members and not about the list that was read, so that changes at the same time lose none.
 */
import { lowerUuid } from "../../base/uuid";
import { invalidValue } from "./error";
import { isObject } from "./values";

export const MAX_MEMBERS = 2_000;
const MAX_ID_CHARACTERS = 100;

/** First all leave if `isReplacement`, else those of `removed`; then those of `added` come. No id is in both. */
export interface GroupMemberChange {
  isReplacement: boolean;
  added: readonly string[];
  removed: readonly string[];
}

export class MemberChanges {
  private isReplacement = false;
  private readonly added = new Set<string>();
  private readonly removed = new Set<string>();

  add(ids: readonly string[]): void {
    for (const id of ids) {
      this.added.add(id);
      this.removed.delete(id);
    }
  }

  remove(ids: readonly string[]): void {
    for (const id of ids) {
      this.added.delete(id);
      this.removed.add(id);
    }
  }

  replace(ids: readonly string[]): void {
    this.isReplacement = true;
    this.added.clear();
    this.add(ids);
  }

  /** Throws 400 for more than a group may have. */
  result(): GroupMemberChange {
    const removed = this.isReplacement ? [] : [...this.removed];
    if (this.added.size > MAX_MEMBERS || removed.length > MAX_MEMBERS) throw tooManyMembers();
    return { isReplacement: this.isReplacement, added: [...this.added], removed };
  }
}

export const tooManyMembers = () => invalidValue(`A group has at most ${MAX_MEMBERS} members.`);

/** The ids of a list of members, or of one alone. Throws 400 for a group in a group. */
export function readMemberIds(value: unknown): string[] {
  const list: unknown[] = Array.isArray(value) ? value : [value];
  return list.map((one) => {
    const member = typeof one === "string" ? { value: one } : one;
    if (!isObject(member)) throw invalidValue("A member must be an object with the id of a person.");
    const { value: id, type } = Object.fromEntries(
      Object.entries(member).map(([name, sent]) => [name.toLowerCase(), sent]),
    );
    if (typeof type === "string" && type.toLowerCase() === "group")
      throw invalidValue("Groups in groups are not kept.");
    if (typeof id !== "string" || id === "" || id.length > MAX_ID_CHARACTERS) {
      throw invalidValue("A member needs the id of a person as its value.");
    }
    return lowerUuid(id);
  });
}
