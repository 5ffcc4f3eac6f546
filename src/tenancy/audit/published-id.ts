/** The ids of the operational events that publish the audit log. */

/**
 * Returns the id of the event that publishes the audit event with this id. Its digits are reordered, because a
 * delivery's id takes the time and the first random digits of its event's id (`deliveryIdOf`), and audit events of one
 * millisecond can share these.
 */
export function publishedId(auditId: string): string {
  const [high = "", low = "", [version = "", ...first] = "", [variant = "", ...second] = "", last = ""] =
    auditId.split("-");
  const end = [...first, ...second, last.slice(0, 4), last.slice(10)].join("");
  return [high, low, version + last.slice(4, 7), variant + last.slice(7, 10), end].join("-");
}
