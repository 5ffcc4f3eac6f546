/** What stands of a token that somebody asks about, read with the proof of who asks: in one round trip. */
import { type SQL, sql } from "drizzle-orm";
import { atomically, rows } from "../../base/db/client";
import type { Deps } from "../../base/deps";
import { isRegisteredId } from "../resources/keys";
import { type MachineToken, selectStandingMachine } from "./machine-store";
import { isProven, type NamedGrant, type Proof, type StandingGrant, selectStandingGrant, useProof } from "./store";

interface Standing {
  /** Undefined if who asks has not proven itself; `audience` is a resource's, and null for a client. */
  asker: { audience: string | null } | undefined;
  grant: StandingGrant | undefined;
  /** Whether the token of a program stands. */
  isMachine: boolean;
}

/** `issuedAt` (Unix ms) is null for a refresh token. */
export async function findStandingGrantOf(
  { db, config }: Deps,
  proof: Proof,
  { issuedAt, machine, ...named }: NamedGrant & { issuedAt: number | null; machine: MachineToken | null },
  nowMs: number,
): Promise<Standing> {
  const { asker, grant, standing } = await atomically(db, {
    asker: rows<{ audience: string | null }>(selectAsker(proof, nowMs)),
    grant: machine ? undefined : selectStandingGrant(config, named, issuedAt, nowMs),
    standing: machine ? selectStandingMachine(machine) : undefined,
    ...useProof(proof),
  });
  return { asker: asker[0], grant: grant?.[0], isMachine: standing?.length === 1 };
}

/** Who has proven itself, if it has. */
export async function findAsker({ db }: Deps, proof: Proof, nowMs: number): Promise<Standing["asker"]> {
  const asker = rows<{ audience: string | null }>(selectAsker(proof, nowMs));
  return (await atomically(db, { asker, ...useProof(proof) })).asker[0];
}

const selectAsker = (proof: Proof, nowMs: number): SQL =>
  isRegisteredId(proof.clientId)
    ? sql`SELECT r.identifier AS audience FROM oauth_resources r WHERE r.id = ${proof.clientId} AND r.enabled = 1
        AND r.secret_hash = ${proof.secretHash}`
    : sql`SELECT NULL AS audience FROM oauth_clients c WHERE ${isProven(proof, nowMs)}`;
