/** Who changes the records of a directory: the directory itself, or an owner who releases somebody. */
import type { Actor } from "../../base/schemas/actor";
import type { ConnectionSettings } from "../../base/schemas/connection-settings";

export interface DirectoryActor {
  connectionId: string;
  tenantId: string;
  /** Of the connection. */
  name: string;
  /** Of the connection: its settings as they are now. */
  version: number;
  settings: ConnectionSettings;
  actor: Actor;
}

/** The directory that calls. */
export interface DirectoryCaller extends DirectoryActor {
  /** How many records it has in each state, and how many groups. */
  active: number;
  inactive: number;
  held: number;
  groups: number;
  /** The address of its SCIM server. */
  base: string;
}
