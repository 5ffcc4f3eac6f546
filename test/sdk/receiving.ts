/** What `postern/receive` promises on every store. */
import { describe, expect, test, vi } from "vitest";
import { signStandard } from "../../src/base/crypto/webhook-signature";
import { type Failure, type HandleOptions, handle, type Store } from "../../src/sdk/receive";
import { everyCrash } from "../../src/sdk/receive/testing";

const SECRET = "a-signing-secret";

/** A store over an empty database with a table `effects(id)`, which takes each id many times, but not "refused". */
export interface Receiver<Tx> {
  store: Store<Tx>;
  /** Adds a row to `effects` in the handler's transaction. */
  write: (tx: Tx, id: string) => void | Promise<void>;
  /** The ids in `effects`, sorted. */
  effects: () => Promise<string[]>;
}

type Options<Tx> = Partial<HandleOptions<Tx, { effect: string }>>;

/** A signed delivery of `{ effect: id }`. */
async function signedDelivery(id: string, headers: Record<string, string> = {}) {
  const body = JSON.stringify({ effect: id });
  const seconds = Math.floor(Date.now() / 1000);
  return {
    headers: {
      "webhook-id": id,
      "webhook-timestamp": String(seconds),
      "webhook-signature": await signStandard(SECRET, id, seconds, body),
      "x-webhook-event": "OrderPaid",
      ...headers,
    },
    body,
  };
}

const inOrder = (sequence: number) => ({ "webhook-order-key": "order 7", "webhook-sequence": String(sequence) });

/** Handles the delivery `id` by writing its effect. Returns the status and the body of the answer. */
export async function receive<Tx>(
  { store, write }: Pick<Receiver<Tx>, "store" | "write">,
  id: string,
  { headers, ...options }: Options<Tx> & { headers?: Record<string, string> } = {},
): Promise<string> {
  const delivery = await signedDelivery(id, headers);
  const answer = await handle<{ effect: string }, Tx>(delivery, { secret: SECRET, store, ...options }, (event, tx) =>
    write(tx, event.payload.effect),
  );
  return `${answer.status} ${await answer.text()}`;
}

type Promised<Tx> = (title: string, work: (receiver: Receiver<Tx>) => Promise<void>) => void;

const broken = (message: string) => () => {
  throw new Error(message);
};

/** Registers the tests of a store. `within` gives each test an empty one. */
export function receiving<Tx>(
  name: string,
  within: (work: (receiver: Receiver<Tx>) => Promise<void>) => Promise<void>,
) {
  const promise: Promised<Tx> = (title, work) => test(title, () => within(work));
  describe(name, () => {
    handlingOnce(promise);
    describe("poison", () => poisoning(promise));
    describe("order", () => ordering(promise));
    describe("everyCrash", () => crashing(promise));
  });
}

function handlingOnce<Tx>(promise: Promised<Tx>) {
  promise("of 20 copies at once exactly one is handled, and the effect is there once", async (receiver) => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => receive(receiver, "a")));
    expect(answers.sort()).toEqual([...Array(19).fill("200 duplicate"), "200 handled"]);
    expect(await receiver.effects()).toEqual(["a"]);
  });

  promise("a delivery whose handler fails is handled when it comes again", async (receiver) => {
    const onError = vi.fn();
    const failing = { ...receiver, write: broken("no stock") };
    expect(await receive(failing, "a", { onError })).toBe("500 error");
    expect(onError.mock.calls).toMatchObject([[{ message: "no stock" }, { id: "a", type: "OrderPaid" }]]);
    expect(await receive(receiver, "a")).toBe("200 handled");
    expect(await receiver.effects()).toEqual(["a"]);
  });

  promise("a statement that fails leaves neither effect nor mark", async (receiver) => {
    const refused = {
      ...receiver,
      write: async (tx: Tx, id: string) => {
        await receiver.write(tx, id);
        await receiver.write(tx, "refused");
      },
    };
    expect(await receive(refused, "a")).toBe("500 error");
    expect(await receiver.effects()).toEqual([]);
    expect(await receive(receiver, "a")).toBe("200 handled");
  });

  promise("a forged delivery is refused with the reason, and nothing is remembered", async (receiver) => {
    expect(await receive(receiver, "a", { headers: { "webhook-signature": "v1,bm8=" } })).toBe(
      "400 SIGNATURE_MISMATCH",
    );
    expect(await receive(receiver, "a", { headers: { "webhook-id": "" } })).toBe("400 MISSING_HEADER");
    expect(await receive(receiver, "a")).toBe("200 handled");
  });

  promise("each receiver that shares the store handles a delivery once", async (receiver) => {
    const remembering = { ...receiver, write: () => undefined };
    for (const name of ["mails", "search"]) {
      expect(await receive(remembering, "a", { receiver: name })).toBe("200 handled");
      expect(await receive(remembering, "a", { receiver: name })).toBe("200 duplicate");
    }
  });

  promise("prune removes marks older than some days and says how many", async (receiver) => {
    await receive(receiver, "a");
    const [now, dayMs] = [Date.now(), 86_400_000];
    vi.spyOn(Date, "now").mockReturnValue(now + 10 * dayMs);
    try {
      expect(await receiver.store.prune(11)).toBe(0);
      expect(await receiver.store.prune(9)).toBe(1);
    } finally {
      vi.restoreAllMocks();
    }
    expect((await receiver.store.look({ receiver: "default", id: "a" })).handled).toBe(false);
  });
}

function poisoning<Tx>(promise: Promised<Tx>) {
  promise("the third failure gives a delivery up and says so once, and forget lets it in again", async (receiver) => {
    const onPoison = vi.fn();
    const failing = { ...receiver, write: broken("no stock") };
    const options = { poisonAfter: 3, onPoison };
    const answers = [];
    for (let i = 0; i < 4; i++) answers.push(await receive(failing, "a", options));
    expect(answers).toEqual(["500 error", "500 error", "200 poison", "200 duplicate"]);
    expect(onPoison.mock.calls).toMatchObject([[{ id: "a" }, { message: "no stock" }]]);
    await receiver.store.forget({ receiver: "default", id: "a" });
    expect(await receive(receiver, "a", options)).toBe("200 handled");
  });

  promise("of ten failures at once one gives the delivery up", async (receiver) => {
    const onPoison = vi.fn();
    const failing = { ...receiver, write: broken("no stock") };
    await Promise.all(Array.from({ length: 10 }, () => receive(failing, "a", { poisonAfter: 5, onPoison })));
    expect(onPoison).toHaveBeenCalledTimes(1);
  });

  promise("without poisonAfter a delivery is never given up", async (receiver) => {
    const failing = { ...receiver, write: broken("no stock") };
    for (let i = 0; i < 5; i++) expect(await receive(failing, "a")).toBe("500 error");
  });
}

function ordering<Tx>(promise: Promised<Tx>) {
  promise("an event after a gap waits twice and is then handled", async (receiver) => {
    const onGap = vi.fn(() => "wait" as const);
    expect(await receive(receiver, "1", { headers: inOrder(1), onGap })).toBe("200 handled");
    const third = () => receive(receiver, "3", { headers: inOrder(3), onGap });
    expect([await third(), await third(), await third()]).toEqual(["503 waiting", "503 waiting", "200 handled"]);
    expect(onGap).toHaveBeenLastCalledWith({ orderKey: "order 7", expected: 2, received: 3 });
    expect(await receiver.effects()).toEqual(["1", "3"]);
  });

  promise("an event that waited is handled at once when the missing one has come", async (receiver) => {
    const onGap = () => "wait" as const;
    await receive(receiver, "1", { headers: inOrder(1), onGap });
    expect(await receive(receiver, "3", { headers: inOrder(3), onGap })).toBe("503 waiting");
    expect(await receive(receiver, "2", { headers: inOrder(2), onGap })).toBe("200 handled");
    expect(await receive(receiver, "3", { headers: inOrder(3), onGap })).toBe("200 handled");
  });

  promise("a late event is skipped without its effect if the receiver says so, once", async (receiver) => {
    const onLate = vi.fn(() => "skip" as const);
    await receive(receiver, "2", { headers: inOrder(2), onLate });
    expect(await receive(receiver, "1", { headers: inOrder(1), onLate })).toBe("200 skipped");
    expect(await receive(receiver, "1", { headers: inOrder(1), onLate })).toBe("200 duplicate");
    expect(onLate.mock.calls).toEqual([[{ orderKey: "order 7", last: 2, received: 1 }]]);
    expect(await receiver.effects()).toEqual(["2"]);
  });

  promise("gaps and late events are handled unless the receiver says otherwise", async (receiver) => {
    for (const sequence of [2, 5, 1]) {
      expect(await receive(receiver, String(sequence), { headers: inOrder(sequence) })).toBe("200 handled");
    }
    expect((await receiver.store.look({ receiver: "default", id: "x", orderKey: "order 7" })).last).toBe(5);
  });
}

/** A fresh receiver id for each crash stands for an empty store: marks and effects of others do not count. */
async function crashes<Tx>(receiver: Receiver<Tx>, wrapped: (store: Store<Tx>) => Store<Tx> = (store) => store) {
  let round = 0;
  const ids = () => ["a", "b", "c"].map((id) => `${round} ${id}`);
  return everyCrash<Tx>({
    store: () => {
      round++;
      return wrapped(receiver.store);
    },
    run: async (store) => {
      let failuresOfB = 0;
      const write = (tx: Tx, id: string) => {
        if (id.endsWith("b") && failuresOfB++ === 0) throw new Error("not yet");
        return receiver.write(tx, id);
      };
      const answers = [];
      for (const id of [...ids(), ...ids()]) answers.push(await receive({ store, write }, id, { poisonAfter: 10 }));
      // As in the tests of others: it fails after each crash.
      expect(answers.filter((answer) => answer.startsWith("500")).length).toBeLessThan(2);
    },
    check: async () => {
      const effects = (await receiver.effects()).filter((id) => id.startsWith(`${round} `));
      expect(effects).toEqual(ids());
    },
  });
}

function crashing<Tx>(promise: Promised<Tx>) {
  promise("leaves each effect exactly once, wherever the receiver dies", async (receiver) => {
    // Before and after six looks, three commits and the count of a failure, and before the commit that fails.
    expect(await crashes(receiver)).toEqual({ crashes: 21 });
  });

  promise("finds a store that loses the mark", async (receiver) => {
    const forgetful = (store: Store<Tx>): Store<Tx> => ({
      ...store,
      look: async () => ({ handled: false, last: undefined, failures: 0, waits: 0 }),
      commit: async (mark, work) => {
        await store.commit(mark, work);
        await store.forget(mark);
        return "committed";
      },
      fail: (mark, failure: Failure) => store.fail(mark, failure),
    });
    await expect(crashes(receiver, forgetful)).rejects.toThrow();
  });
}
