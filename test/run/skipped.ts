/** A reason in a title, such as `(skipped: sshd was not found)` or `NATS (nats-server was not found on the PATH; ...)`. */
const reasonInTitle =
  /[([](?:skipped:? ?)?(?<reason>[^()[\]]*(?:not found|not there|missing|lacks|is no|there is no)[^()[\]]*)[)\]]/

const reasonOf = (title: string): string | undefined => reasonInTitle.exec(title)?.groups?.reason

/** One line for each reason with the number of skipped tests; tests without a reason are listed by title. */
export const skippedLines = (titles: readonly string[]): string[] => {
  const counts = new Map<string, number>()
  for (const title of titles) {
    const key = reasonOf(title) ?? title
    counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  return [...counts].map(([reason, count]) => `skipped  ${count === 1 ? '1 test' : `${count} tests`}: ${reason}`)
}
