/** Who sees the buttons that change connections and domains. */
import type { Principal } from "../../base/schemas/principal";

/** Whether it is an owner, or somebody with a setup link: the operations themselves check it again. */
export const maySetUpSignOn = (principal: Principal): boolean =>
  principal.kind === "setup" || (principal.kind === "session" && principal.role === "owner");
