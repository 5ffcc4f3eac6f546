/** The people and sessions that operations use up or pass around. */
import { type Credentials, createAccount, dataOf, newPerson, type Tokens } from "./account.ts";
import { type Client, closedLoop, type Operation } from "./load.ts";

/** More than there are concurrent requests, so that no two of them log in to one account at once. */
const PEOPLE = 64;
const SETTING_UP = { from: 0, concurrency: 8 };

export interface Stock {
  register: Operation;
  login: Operation;
  refresh: Operation;
  logout: Operation;
  /** Makes sure that somebody can log in, and that there are `sessions` sessions to refresh or to end. */
  fill(sessions: number): Promise<void>;
}

export function createStock(client: Client): Stock {
  const people: Credentials[] = [];
  const sessions: Tokens[] = [];
  const post = (path: string, body: unknown) => ({ method: "POST" as const, path: `/api/v1/auth/${path}`, body });
  const pick = <T>(list: T[], index: number): T => {
    const item = list[index % list.length];
    if (item === undefined) throw new Error("the stock is empty");
    return item;
  };
  const register: Operation = {
    name: "register",
    client,
    status: 201,
    call: () => {
      const person = newPerson();
      people.push(person);
      return post("register", person);
    },
  };
  const login: Operation = {
    name: "login",
    client,
    status: 200,
    call: (index) => post("login", pick(people, index)),
    read: (answer) => void sessions.push(dataOf<Tokens>(answer)),
  };
  const refresh: Operation = {
    name: "refresh",
    client,
    status: 200,
    call: (index) => post("refresh", { refreshToken: pick(sessions, index).refreshToken }),
    read: (answer, index) => void Object.assign(pick(sessions, index), dataOf<Tokens>(answer)),
  };
  const logout: Operation = {
    name: "logout",
    client,
    status: 200,
    call: (index) => post("logout", { refreshToken: pick(sessions, index).refreshToken }),
  };
  return {
    register,
    login,
    refresh,
    logout,
    async fill(wanted) {
      while (people.length < PEOPLE) people.push(await createAccount(client));
      const missing = wanted - sessions.length;
      if (missing > 0) await closedLoop(login, { ...SETTING_UP, count: missing });
    },
  };
}
