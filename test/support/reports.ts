import type { Bus } from '@trellis/kit/bus'
import { type Report, runTopic } from '@trellis/kit/workloads'

/** All reports on a run so far, in order. A marker report is published to find the end of the topic, and stays there. */
export const reportsSoFar = async (bus: Bus, runId: string): Promise<Report[]> => {
  const ending = new AbortController()
  const mark: Report = { $case: 'output', value: Buffer.from('the end') }
  const end = await bus.publish(runTopic.search(runId), { runId, report: mark })
  const reported: Report[] = []
  for await (const delivery of bus.subscribe(runTopic.search(runId), { after: 'start', signal: ending.signal })) {
    if (delivery.kind === 'gap') continue
    if (delivery.sequence === end) break
    if (delivery.event.report) reported.push(delivery.event.report)
  }
  ending.abort()
  return reported
}
