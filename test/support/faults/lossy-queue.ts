/** The delivery queues of one schedule. The seed decides what is lost, what comes twice, late or in another order. */
import type { DeliveryMessage, FanOutMessage } from "../../../src/base/messages";
import type { Faults } from "./faults";
import type { Random } from "./random";
import type { VirtualClock } from "./virtual-clock";

type Body = DeliveryMessage | FanOutMessage;
export type Lane = "fast" | "slow";

const QUEUE_NAMES = { fast: "postern-deliveries", slow: "postern-deliveries-slow" } as const;
const MAX_BATCH = 10;
const MAX_RETRIES = 20;
const RETRY_DELAY_SECONDS = 5;
const QUEUE_ERRORS = ["Queue sendBatch failed: Internal Server Error", "Network connection lost."] as const;

export interface QueueManners {
  loss: number;
  duplicates: number;
  late: number;
  /** Whether `metrics` works; otherwise it fails. */
  hasMetrics: boolean;
}

interface Letter {
  body: Body;
  sentMs: number;
  tries: number;
}

/** Hands a batch to the consumer. "killed" when the invocation was killed before its handler ended. */
export type Consume = (batch: MessageBatch) => Promise<"ended" | "killed">;

export class LossyQueues {
  readonly fast: Queue<DeliveryMessage> = this.#binding("fast");
  readonly slow: Queue<Body> = this.#binding("slow");
  /** Messages that are on their way or with a consumer. */
  readonly #under = { fast: new Set<Letter>(), slow: new Set<Letter>() };
  readonly #arrived: Record<Lane, Letter[]> = { fast: [], slow: [] };

  constructor(
    private readonly random: Random,
    private readonly clock: VirtualClock,
    private readonly faults: Faults,
    private readonly manners: QueueManners,
    private readonly consume: Consume,
  ) {}

  get isEmpty(): boolean {
    return this.#under.fast.size + this.#under.slow.size === 0;
  }

  #binding<T extends Body>(lane: Lane): Queue<T> {
    const sendBatch = (messages: Iterable<MessageSendRequest<T>>) => {
      const all = [...messages];
      return this.faults.call(
        `${lane} sendBatch`,
        async () => {
          for (const { body, delaySeconds = 0 } of all) this.#post(lane, body, delaySeconds * 1000);
        },
        QUEUE_ERRORS,
      );
    };
    const metrics = () => this.faults.call(`${lane} metrics`, async () => this.#metrics(lane), QUEUE_ERRORS);
    return { sendBatch, metrics } as unknown as Queue<T>;
  }

  #metrics(lane: Lane): QueueMetrics {
    if (!this.manners.hasMetrics) throw new Error("metrics is not a function");
    const [oldest] = [...this.#under[lane]].map(({ sentMs }) => sentMs).sort((a, b) => a - b);
    const backlogCount = this.#under[lane].size;
    return {
      backlogCount,
      backlogBytes: backlogCount,
      ...(oldest === undefined ? {} : { oldestMessageTimestamp: new Date(oldest) }),
    };
  }

  #post(lane: Lane, body: Body, delayMs: number): void {
    const { random, manners } = this;
    if (random.chance(manners.loss)) {
      this.faults.note(`${lane} message lost`);
      return;
    }
    const copies = random.chance(manners.duplicates) ? 2 : 1;
    for (let copy = 0; copy < copies; copy += 1) {
      const lateMs = random.chance(manners.late) ? random.between(0, random.pick([1_000, 5_000, 20_000])) : 0;
      const isLateCopy = copy > 0 && random.chance(0.5);
      const travelMs = random.between(0, 20) + lateMs + (isLateCopy ? random.between(0, 15_000) : 0);
      this.#send(lane, { body, sentMs: this.clock.nowMs, tries: 1 }, delayMs + travelMs);
    }
  }

  #send(lane: Lane, letter: Letter, delayMs: number): void {
    this.#under[lane].add(letter);
    this.clock.after(delayMs, () => this.#arrive(lane, letter));
  }

  /** What arrives within a few ms makes one batch. */
  #arrive(lane: Lane, letter: Letter): void {
    this.#arrived[lane].push(letter);
    if (this.#arrived[lane].length === 1) this.clock.after(this.random.between(0, 20), () => void this.#handOver(lane));
  }

  async #handOver(lane: Lane): Promise<void> {
    const letters = this.random.shuffle(this.#arrived[lane].splice(0));
    for (const rest of letters.splice(MAX_BATCH)) this.#arrive(lane, rest);
    const retries = new Map<Letter, number>();
    const messages = letters.map((letter, index) => ({
      id: `m${index}`,
      timestamp: new Date(letter.sentMs),
      attempts: letter.tries,
      body: letter.body,
      ack: () => undefined,
      retry: ({ delaySeconds = RETRY_DELAY_SECONDS } = {}) => retries.set(letter, delaySeconds),
    }));
    const result = await this.consume({ queue: QUEUE_NAMES[lane], messages } as unknown as MessageBatch);
    // Retries requested after this moment do nothing, as on the platform.
    const again =
      result === "killed" ? new Map(letters.map((letter) => [letter, RETRY_DELAY_SECONDS])) : new Map(retries);
    for (const letter of letters) {
      this.#under[lane].delete(letter);
      const delaySeconds = again.get(letter);
      if (delaySeconds === undefined || letter.tries > MAX_RETRIES || this.random.chance(this.manners.loss)) continue;
      this.#send(lane, { ...letter, tries: letter.tries + 1 }, delaySeconds * 1000);
    }
  }
}
