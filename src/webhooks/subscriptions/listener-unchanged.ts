/** The refusal to change a listener as if it were a subscription with a URL. */
import { AppError } from "../../base/errors";

export const listenerUnchanged = () =>
  new AppError("CONFLICT", { message: "This is a listener. Close it with DELETE /listen/:id, and open another one." });
