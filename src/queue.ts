/**
 * Handles the messages of all queues: deliveries, fan-outs, mails and dead letters. Each message is acked or retried on
 * its own.
 */

import { countDeadLetters } from "./base/db/dead-letters-store";
import type { Deps } from "./base/deps";
import { describeError, log } from "./base/log/log";
import { mailJob } from "./base/mail/job";
import { type FanOut, type FanOutMessage, queueMessage, type ShardKey } from "./base/messages";
import { consumeMail } from "./mailer/consume";
import { DeliveryRun } from "./webhooks/delivery/deliver";
import { inTurns } from "./webhooks/delivery/selection";
import { isBusy } from "./webhooks/delivery/send-load";
import type { QueueSpeed } from "./webhooks/plane/enqueue";
import { continueFanOuts } from "./webhooks/plane/fan-out";
import { HANDLER_WAITS_MS, MAX_EARLY_MS, REQUEUE_AFTER_FAULT_SECONDS } from "./webhooks/plane/timing";

/** Handles a batch of any queue. Never throws. */
export async function consume(deps: Deps, batch: MessageBatch): Promise<void> {
  if (batch.queue.endsWith("-dead")) return consumeDead(deps, batch);
  if (batch.queue.endsWith("-mail")) return consumeMail(deps, batch);
  return consumeDeliveries(deps, batch);
}

interface Delivery {
  message: Message;
  keys: ShardKey[];
}

interface Parsed {
  deliveries: Delivery[];
  fanOuts: { message: Message; data: FanOutMessage }[];
}

function parse(batch: MessageBatch): Parsed {
  const parsed: Parsed = { deliveries: [], fanOuts: [] };
  for (const message of batch.messages) {
    const { success, data } = queueMessage.safeParse(message.body);
    if (!success) dropUnknown(batch.queue, message);
    else if ("fanOuts" in data) parsed.fanOuts.push({ message, data });
    else parsed.deliveries.push({ message, keys: data.due.map((key) => ({ ...key, shard: data.shard })) });
  }
  return parsed;
}

/**
 * Messages that are not retried are acked when the handler ends, and cannot be retried afterwards. The handler
 * therefore waits until every claim has succeeded or failed. It does not wait for sends that have started, because the
 * local queue would wait with it.
 */
async function consumeDeliveries(deps: Deps, batch: MessageBatch): Promise<void> {
  const speed: QueueSpeed = batch.queue.endsWith("-slow") ? "slow" : "fast";
  const { deliveries, fanOuts } = parse(batch);
  const run = new DeliveryRun(deps, speed);
  await Promise.all([
    ...fanOuts.map((parsed) => consumeFanOuts(deps, parsed)),
    ...groups(deps, deliveries).map((group) => claimGroup(run, group)),
  ]);
  const finished = run.finished();
  deps.background("deliver", finished);
  let isDone = false;
  const done = finished.finally(() => {
    isDone = true;
  });
  await Promise.race([done, run.allStarted, scheduler.wait(HANDLER_WAITS_MS)]);
  while (!isDone && isBusy()) await Promise.race([done, scheduler.wait(HANDLER_WAITS_MS)]);
}

interface Group {
  waitMs: number;
  deliveries: Delivery[];
}

/**
 * Groups the messages into those that are due and those that are slightly early. Returns much earlier ones to the
 * queue.
 */
function groups(deps: Deps, deliveries: readonly Delivery[]): Group[] {
  const nowMs = deps.now();
  const earlyMs = ({ keys }: Delivery) => Math.max(...keys.map(({ dueAt }) => dueAt - nowMs));
  const due = deliveries.filter((delivery) => earlyMs(delivery) <= 0);
  const early = deliveries.filter((delivery) => earlyMs(delivery) > 0 && earlyMs(delivery) <= MAX_EARLY_MS);
  for (const delivery of deliveries) {
    if (earlyMs(delivery) > MAX_EARLY_MS)
      delivery.message.retry({ delaySeconds: Math.floor(earlyMs(delivery) / 1000) });
  }
  return [
    { waitMs: 0, deliveries: due },
    { waitMs: Math.max(0, ...early.map(earlyMs)), deliveries: early },
  ].filter((group) => group.deliveries.length > 0);
}

/** Retries only the messages whose deliveries could not be claimed. */
async function claimGroup(run: DeliveryRun, { waitMs, deliveries }: Group): Promise<void> {
  if (waitMs > 0) await scheduler.wait(waitMs);
  // A message has the deliveries of one event or a few, so taking turns between messages is fair to tenants.
  const all = deliveries.flatMap((delivery) => delivery.keys.map((key) => ({ key, delivery })));
  const inOrder = inTurns(all, ({ delivery }) => delivery).map(({ key }) => key);
  const failed = new Set(await run.add(inOrder));
  for (const { message, keys } of deliveries) {
    if (keys.some((key) => failed.has(key))) message.retry({ delaySeconds: REQUEUE_AFTER_FAULT_SECONDS });
  }
}

/** Fan-outs that fail together are tried alone, so that one that always fails keeps no other from going on. */
async function consumeFanOuts(deps: Deps, { message, data }: Parsed["fanOuts"][number]): Promise<void> {
  const { shard, fanOuts } = data;
  if (fanOuts.length > 1 && (await goOn(deps, shard, fanOuts))) return;
  const all = await Promise.all(fanOuts.map((fanOut) => goOn(deps, shard, [fanOut])));
  if (!all.every(Boolean)) message.retry({ delaySeconds: REQUEUE_AFTER_FAULT_SECONDS });
}

/** Whether the fan-outs have gone on. */
async function goOn(deps: Deps, shard: number, fanOuts: readonly FanOut[]): Promise<boolean> {
  try {
    await continueFanOuts(deps, shard, fanOuts);
    return true;
  } catch (error) {
    const { eventId } = fanOuts[0] ?? {};
    log("error", "fan-out held up", { shard, eventId, count: fanOuts.length, ...describeError(error) });
    return false;
  }
}

/**
 * Logs and counts dead letters. The sweep finds their deliveries and fan-outs again; a lost mail can be requested
 * again.
 */
async function consumeDead(deps: Deps, batch: MessageBatch): Promise<void> {
  for (const message of batch.messages) {
    const { data } = queueMessage.safeParse(message.body);
    const due = data && "due" in data ? data.due : undefined;
    const fanOuts = data && "fanOuts" in data ? data.fanOuts : undefined;
    const mail = mailJob.safeParse(message.body);
    log("error", "dead letter", {
      queue: batch.queue,
      messageId: message.id,
      deliveryId: due?.[0]?.id,
      count: due?.length ?? fanOuts?.length,
      eventId: fanOuts?.[0]?.eventId,
      mailKind: mail.data?.kind,
      userId: mail.data && "userId" in mail.data ? mail.data.userId : undefined,
    });
    message.ack();
  }
  try {
    await countDeadLetters(deps, batch.queue, batch.messages.length);
  } catch (error) {
    log("error", "dead letters not counted", { queue: batch.queue, ...describeError(error) });
  }
}

function dropUnknown(queue: string, message: Message): void {
  log("error", "message of unknown shape dropped", { queue, messageId: message.id });
  message.ack();
}
