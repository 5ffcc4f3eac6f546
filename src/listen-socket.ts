/**
 * One Durable Object per listener, by its id. It holds the listener's socket, which the runtime keeps open while the
 * object sleeps, and passes deliveries through it. It is the only one that writes whether the listener is connected.
 */
import { DurableObject } from "cloudflare:workers";
import { createDeps } from "./base/deps";
import { describeError, log } from "./base/log/log";
import type { Permission } from "./base/schemas/roles";
import { HOUR_MS } from "./base/time";
import { permissionsOfHolder } from "./identity/portal/holder-store";
import { placesOf } from "./tenancy/moves/places";
import { findTenant } from "./tenancy/tenants/store";
import { CLOSED, readFrame, readyFrame } from "./webhooks/delivery/frames";
import { feedLanes } from "./webhooks/delivery/lanes/feed";
import type { Passed } from "./webhooks/delivery/listener";
import { noteConnection } from "./webhooks/listen/store";
import { type Holder, TICKET_HEADER, type Ticket } from "./webhooks/listen/ticket";
import { SEND_TIMEOUT_MS } from "./webhooks/plane/timing";

/** What the object stores under `LISTENER`: whose it is. */
interface Known {
  id: string;
  tenantId: string;
}

/** What belongs to a socket and outlives the sleep of the object. */
interface Attached {
  /** Tells the sockets apart. */
  ticketId: string;
  holder: Holder;
}

const LISTENER = "listener";
/** Whether the lane may be that of a connected listener. */
const IS_NOTED = "isNoted";
/** The tickets that were used, with the times when they end (Unix ms). */
const USED = "used";

/** A session or key that has ended is noticed so soon. */
const CHECK_EVERY_MS = 4_000;
/** A lane that does not follow its listener, or a listener that is gone, is noticed so soon. */
const NOTE_EVERY_MS = 45_000;
/** A listener that ends without a socket is noticed so soon; the upkeep ends those that have had none for a day. */
const NOTE_WITHOUT_SOCKET_MS = 25 * HOUR_MS;
/** After a failure, for example of D1. */
const REPEAT_AFTER_MS = 5_000;
const MAX_UNANSWERED = 100;
const NEEDED: readonly Permission[] = ["webhook.create", "webhook.read"];

/** Its methods are callable over RPC. Everything else is `#private`: TypeScript's `private` would be callable too. */
export class ListenSocket extends DurableObject<Env> {
  /** By the attempt. */
  readonly #unanswered = new Map<string, { ticketId: string; resolve: (passed: Passed) => void }>();
  #noting: Promise<unknown> = Promise.resolve();
  /** Unix ms. */
  #noteAtMs = 0;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    ctx.setWebSocketAutoResponse(new WebSocketRequestResponsePair("ping", "pong"));
  }

  /** Opens the socket of a ticket that was read. Answers 401 to one that was used, and 503 while D1 is down. */
  override async fetch(request: Request): Promise<Response> {
    const ticket = JSON.parse(request.headers.get(TICKET_HEADER) ?? "") as Ticket;
    if (!this.#use(ticket)) return new Response(null, { status: 401 });
    const { 0: client, 1: server } = new WebSocketPair();
    this.#closeAll(CLOSED.replaced);
    this.ctx.acceptWebSocket(server);
    server.serializeAttachment({ ticketId: ticket.id, holder: ticket.holder } satisfies Attached);
    this.ctx.storage.kv.put(LISTENER, { id: ticket.listenerId, tenantId: ticket.tenantId } satisfies Known);
    await this.ctx.storage.setAlarm(Date.now() + CHECK_EVERY_MS);
    try {
      if (await this.#note()) server.send(readyFrame(ticket.listenerId));
      else this.#closeAll(CLOSED.gone);
    } catch (error) {
      this.#failed(error);
      this.#lose(server);
      server.close(1013, "Try again later.");
      return new Response(null, { status: 503 });
    }
    return new Response(null, { status: 101, webSocket: client });
  }

  /** Passes an attempt on, and waits for its answer. "held": there is no socket, and the lane holds by now. */
  async pass(attemptId: string, frame: string): Promise<Passed> {
    const socket = this.#current();
    if (!socket) {
      await this.#note();
      return "held";
    }
    if (this.#unanswered.size >= MAX_UNANSWERED) return "full";
    const { promise, resolve } = Promise.withResolvers<Passed>();
    this.#unanswered.set(attemptId, { ticketId: attachedTo(socket).ticketId, resolve });
    const timer = setTimeout(() => resolve("timeout"), SEND_TIMEOUT_MS);
    try {
      socket.send(frame);
      return await promise;
    } catch {
      return "lost";
    } finally {
      clearTimeout(timer);
      this.#unanswered.delete(attemptId);
    }
  }

  /** Closes the socket, and forgets the listener. */
  async end(): Promise<void> {
    this.#closeAll(CLOSED.gone);
    await this.ctx.storage.deleteAlarm();
    await this.ctx.storage.deleteAll();
  }

  override webSocketMessage(socket: WebSocket, message: string | ArrayBuffer): void {
    const frame = readFrame(message);
    if (frame === "malformed") this.#close(socket, CLOSED.malformed);
    else if (frame !== "ignored") this.#unanswered.get(frame.id)?.resolve(frame.answer);
  }

  override webSocketClose(socket: WebSocket): Promise<void> {
    return this.#closed(socket);
  }

  override webSocketError(socket: WebSocket): Promise<void> {
    return this.#closed(socket);
  }

  /** Closes the socket of a credential that has ended, repeats what has failed, and forgets a listener that is gone. */
  override async alarm(): Promise<void> {
    try {
      const socket = this.#current();
      if (socket && !(await this.#mayListen(socket))) this.#close(socket, CLOSED.revoked);
      const isDue = !this.#current() || Date.now() >= this.#noteAtMs;
      if (isDue) this.ctx.storage.kv.put(IS_NOTED, true);
      if (isDue && !(await this.#note())) return await this.end();
    } catch (error) {
      this.#failed(error);
      return;
    }
    await this.ctx.storage.setAlarm(Date.now() + (this.#current() ? CHECK_EVERY_MS : NOTE_WITHOUT_SOCKET_MS));
  }

  /** Returns false for a ticket that was used. Nothing else runs in between, so that it works once. */
  #use({ id, expiresAt }: Ticket): boolean {
    const nowMs = Date.now();
    const used = this.ctx.storage.kv.get<Record<string, number>>(USED) ?? {};
    if (id in used) return false;
    const left = Object.entries(used).filter(([, endsAt]) => endsAt > nowMs);
    this.ctx.storage.kv.put(USED, { ...Object.fromEntries(left), [id]: expiresAt });
    return expiresAt > nowMs;
  }

  /** The open socket; a closing one is none. */
  #current = (): WebSocket | undefined =>
    this.ctx.getWebSockets().find(({ readyState }) => readyState === WebSocket.READY_STATE_OPEN);

  #closeAll(why: (typeof CLOSED)[keyof typeof CLOSED]): void {
    for (const socket of this.ctx.getWebSockets()) this.#close(socket, why);
  }

  #close(socket: WebSocket, [code, reason]: (typeof CLOSED)[keyof typeof CLOSED]): void {
    this.#lose(socket);
    if (socket.readyState === WebSocket.READY_STATE_OPEN) socket.close(code, reason);
  }

  /** Interrupts the attempts that went over a socket. */
  #lose(socket: WebSocket): void {
    const lost = attachedTo(socket).ticketId;
    for (const { ticketId, resolve } of this.#unanswered.values()) if (ticketId === lost) resolve("lost");
  }

  async #closed(socket: WebSocket): Promise<void> {
    this.#lose(socket);
    await this.#note().catch((error: unknown) => this.#failed(error));
  }

  #failed(error: unknown): void {
    this.#noteAtMs = 0;
    log("error", "listener not noted", { webhookId: this.#known()?.id, ...describeError(error) });
    this.ctx.waitUntil(this.ctx.storage.setAlarm(Date.now() + REPEAT_AFTER_MS));
  }

  #known = (): Known | undefined => this.ctx.storage.kv.get<Known>(LISTENER);

  /**
   * Lets the lane of the listener follow whether there is a socket, one call after another, so that the last one
   * counts. Returns false if there is no such listener any more. Throws when D1 is down.
   */
  #note(): Promise<boolean> {
    const noted = this.#noting.then(() => this.#noteNow());
    this.#noting = noted.catch(() => undefined);
    return noted;
  }

  async #noteNow(): Promise<boolean> {
    const known = this.#known();
    if (!known) return false;
    const { kv } = this.ctx.storage;
    const isConnected = this.#current() !== undefined;
    if (!isConnected && kv.get(IS_NOTED) !== true) return true;
    kv.put(IS_NOTED, true);
    this.#noteAtMs = Date.now() + NOTE_EVERY_MS;
    const deps = await createDeps(this.env, this.ctx);
    const tenant = await findTenant(deps, known.tenantId);
    if (!tenant) return false;
    const { isFound, isChanged } = await noteConnection(deps, tenant, known.id, isConnected, deps.now());
    if (!isConnected) kv.put(IS_NOTED, false);
    else if (isChanged) {
      // What is from before a move is in the former database.
      for (const { shard } of placesOf(tenant))
        deps.background(
          "feed a listener",
          feedLanes(deps, shard, [{ subscriptionId: known.id, tenantId: tenant.tenantId }]),
        );
    }
    return isFound;
  }

  async #mayListen(socket: WebSocket): Promise<boolean> {
    const known = this.#known();
    if (!known) return false;
    const deps = await createDeps(this.env, this.ctx);
    const { holder } = attachedTo(socket);
    const permissions = await permissionsOfHolder(deps, known.tenantId, holder);
    const needed: readonly Permission[] = holder.readsAudit ? [...NEEDED, "audit.read"] : NEEDED;
    return needed.every((permission) => permissions.has(permission));
  }
}

const attachedTo = (socket: WebSocket): Attached => socket.deserializeAttachment() as Attached;
