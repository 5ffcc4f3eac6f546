import type { Client, Role } from "postern/client";

/** Changes a member's role. */
export async function changeRole(postern: Client, email: string, role: Role): Promise<void> {
  const [member] = (await postern.members.list({ q: email })).data;
  if (!member) throw new Error(`${email} is not a member`);
  await postern.members.changeRole(member.userId, role);
}
