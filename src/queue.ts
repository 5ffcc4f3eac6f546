/**
 * Handles the messages of all queues: deliveries, fan-outs, mails and dead letters. Each message is acked or retried on
 * its own.
 */

import { countDeadLetters } from "./base/db/dead-letters-store";
import type { Deps } from "./base/deps";
import { describeError, log } from "./base/log/log";
import { mailJob } from "./base/mail/job";
import { type DeliveryMessage, type FanOut, type FanOutMessage, queueMessage } from "./base/messages";
import { consumeMail } from "./mailer/consume";
import { paceFanOuts } from "./webhooks/delivery/fan-outs";
import { type ComesAgain, runMessages } from "./webhooks/delivery/run-messages";
import type { QueueSpeed } from "./webhooks/plane/enqueue";
import { requeueAfterFaultSeconds } from "./webhooks/plane/timing";

/** Delivers a message in an invocation of its own; see `runMessages`. */
export type RunApart = (message: DeliveryMessage) => Promise<ComesAgain>;

/** Handles a batch of any queue. Never throws. */
export async function consume(deps: Deps, batch: MessageBatch, runApart?: RunApart): Promise<void> {
  if (batch.queue.endsWith("-dead")) return consumeDead(deps, batch);
  if (batch.queue.endsWith("-mail")) return consumeMail(deps, batch);
  return consumeDeliveries(deps, batch, runApart);
}

interface Delivery {
  message: Message;
  data: DeliveryMessage;
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
    else parsed.deliveries.push({ message, data });
  }
  return parsed;
}

/**
 * Messages that are not retried are acked when the handler ends, and cannot be retried afterwards. The handler
 * therefore waits until the claims that can be made now have succeeded or failed. It never waits for a receiver or a
 * time, because the next batch of the local queue would wait with it.
 */
async function consumeDeliveries(deps: Deps, batch: MessageBatch, runApart?: RunApart): Promise<void> {
  const { deliveries, fanOuts } = parse(batch);
  await Promise.all([
    ...fanOuts.map((parsed) => consumeFanOuts(deps, parsed)),
    batch.queue.endsWith("-slow") && runApart
      ? Promise.all(deliveries.map((delivery) => deliverApart(delivery, runApart)))
      : deliverTogether(deps, batch.queue.endsWith("-slow") ? "slow" : "fast", deliveries),
  ]);
}

async function deliverTogether(deps: Deps, speed: QueueSpeed, deliveries: readonly Delivery[]): Promise<void> {
  const messages = deliveries.map(({ data }) => data);
  const retries = await runMessages(deps, speed, messages);
  for (const [index, { message }] of deliveries.entries()) comeAgain(message, retries[index] ?? null);
}

/** An invocation opens six connections, so the messages of the slow queue get one each. */
async function deliverApart({ message, data }: Delivery, runApart: RunApart): Promise<void> {
  const retry = await runApart(data).catch((error: unknown) => {
    log("error", "batch not claimed", { shard: data.shard, count: data.due.length, ...describeError(error) });
    return "after a fault" as const;
  });
  comeAgain(message, retry);
}

function comeAgain(message: Message, when: ComesAgain): void {
  if (when === "after a fault") message.retry({ delaySeconds: requeueAfterFaultSeconds(message.attempts) });
  else if (when !== null) message.retry({ delaySeconds: when });
}

/** Fan-outs that fail together are tried alone, so that one that always fails keeps no other from going on. */
async function consumeFanOuts(deps: Deps, { message, data }: Parsed["fanOuts"][number]): Promise<void> {
  const { shard, fanOuts } = data;
  if (fanOuts.length > 1 && (await goOn(deps, shard, fanOuts))) return;
  let haveAll = true;
  for (const fanOut of fanOuts) haveAll = (await goOn(deps, shard, [fanOut])) && haveAll;
  if (!haveAll) comeAgain(message, "after a fault");
}

/** Whether the fan-outs have gone on. */
async function goOn(deps: Deps, shard: number, fanOuts: readonly FanOut[]): Promise<boolean> {
  try {
    await paceFanOuts(deps, shard, fanOuts);
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
