/** The queue door: parse, deliver or mail, ack each message singly, never throw. */
import { deliver } from "./delivery/deliver";
import { deliveryJob, type FanOutJob, fanOutJob } from "./delivery/job";
import { isFull, type Lane } from "./delivery/load";
import { sweepSoon } from "./delivery/store";
import type { Deps } from "./deps";
import { continueFanOut } from "./events/fan-out";
import { describeError, log } from "./log";
import { mailJob } from "./mail/job";
import { sendMail } from "./mailer/send";

const RETRY_AFTER_FAULT_SECONDS = 5;
/** A batch whose sends are slow is let go after this time; its sends run on, guarded by their leases. */
const HOLD_MS = 50;
/** The queue delays by whole seconds, so a retry's message may come this much too soon. */
const MAX_EARLY_MS = 1_500;

/** Hands a batch to the consumer of its queue. Never throws. */
export async function consume(deps: Deps, batch: MessageBatch): Promise<void> {
  if (batch.queue.endsWith("-dead")) return consumeDead(deps, batch);
  if (batch.queue.endsWith("-mail")) return consumeMail(deps, batch);
  return consumeDeliveries(deps, batch);
}

async function consumeDeliveries(deps: Deps, batch: MessageBatch): Promise<void> {
  const nowMs = deps.now();
  const lane: Lane = batch.queue.endsWith("-slow") ? "slow" : "fast";
  const fanOuts: Promise<void>[] = [];
  const jobs = batch.messages.flatMap((message) => {
    const job = deliveryJob.safeParse(message.body);
    if (!job.success) {
      const fanOut = fanOutJob.safeParse(message.body);
      if (fanOut.success) fanOuts.push(goOnWith(deps, message, fanOut.data));
      else dropPoison(batch.queue, message);
      return [];
    }
    return [{ message, id: job.data.deliveryId, earlyMs: job.data.dueAt - nowMs }];
  });
  const due = jobs.filter(({ earlyMs }) => earlyMs <= 0);
  const early = jobs.filter(({ earlyMs }) => earlyMs > 0 && earlyMs <= MAX_EARLY_MS);
  for (const { message, earlyMs } of jobs) {
    if (earlyMs > MAX_EARLY_MS) message.retry({ delaySeconds: Math.floor(earlyMs / 1000) });
  }
  const work = Promise.all([
    ...fanOuts,
    deliverMessages(deps, lane, due),
    ...early.map((job) => scheduler.wait(job.earlyMs).then(() => deliverMessages(deps, lane, [job]))),
  ]);
  deps.background("deliver", work);
  await heldUntilDone(deps, lane, work);
}

/** Waits for the work, but not for slow subscribers unless the lane is full. */
async function heldUntilDone(deps: Deps, lane: Lane, work: Promise<unknown>): Promise<void> {
  let done = false;
  const finished = work.then(() => {
    done = true;
  });
  do {
    await Promise.race([finished, scheduler.wait(HOLD_MS)]);
  } while (!done && isFull(lane, deps.now()));
}

async function goOnWith(deps: Deps, message: Message, job: FanOutJob): Promise<void> {
  try {
    await continueFanOut(deps, { eventId: job.fanOut, fanOutAfter: job.afterSubscriptionId });
  } catch (error) {
    log("error", "fan-out held up", { eventId: job.fanOut, ...describeError(error) });
    message.retry({ delaySeconds: RETRY_AFTER_FAULT_SECONDS });
  }
}

interface DeliveryMessage {
  message: Message;
  id: string;
}

async function deliverMessages(deps: Deps, lane: Lane, messages: readonly DeliveryMessage[]): Promise<void> {
  if (messages.length === 0) return;
  try {
    await deliver(
      deps,
      lane,
      messages.map(({ id }) => id),
    );
  } catch (error) {
    log("error", "batch not claimed", { count: messages.length, ...describeError(error) });
    for (const { message } of messages) message.retry({ delaySeconds: RETRY_AFTER_FAULT_SECONDS });
  }
}

async function consumeMail(deps: Deps, batch: MessageBatch): Promise<void> {
  for (const message of batch.messages) {
    const job = mailJob.safeParse(message.body);
    if (!job.success) {
      dropPoison(batch.queue, message);
      continue;
    }
    try {
      await sendMail(deps, job.data);
      message.ack();
    } catch (error) {
      log("warn", "mail not sent", {
        mailKind: job.data.kind,
        queueAttempt: message.attempts,
        ...describeError(error),
      });
      message.retry();
    }
  }
}

/** Dead letters must be seen. Their deliveries are due for the next sweep; a mail can be asked for again. */
async function consumeDead(deps: Deps, batch: MessageBatch): Promise<void> {
  const deliveryIds: string[] = [];
  for (const message of batch.messages) {
    const delivery = deliveryJob.safeParse(message.body);
    const fanOut = fanOutJob.safeParse(message.body);
    const mail = mailJob.safeParse(message.body);
    if (delivery.success) deliveryIds.push(delivery.data.deliveryId);
    log("error", "dead letter", {
      queue: batch.queue,
      messageId: message.id,
      deliveryId: delivery.data?.deliveryId,
      eventId: fanOut.data?.fanOut,
      mailKind: mail.data?.kind,
      userId: mail.data && "userId" in mail.data ? mail.data.userId : undefined,
    });
  }
  try {
    if (deliveryIds.length > 0) await sweepSoon(deps, deliveryIds, deps.now());
    for (const message of batch.messages) message.ack();
  } catch (error) {
    log("error", "dead letters not rescued", { count: deliveryIds.length, ...describeError(error) });
    for (const message of batch.messages) message.retry();
  }
}

function dropPoison(queue: string, message: Message): void {
  log("error", "message of unknown shape dropped", { queue, messageId: message.id });
  message.ack();
}
