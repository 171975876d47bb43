import { ExecutableMissing, findNatsServer, type NatsServer } from '@trellis/distributed/servers'

const find = (): { command: string; missing?: never } | { command?: never; missing: string } => {
  try {
    return { command: findNatsServer(process.env) }
  } catch (error) {
    if (error instanceof ExecutableMissing) return { missing: error.message }
    throw error
  }
}

/** The NATS server of this machine, or why there is none. */
export const { command: natsCommand = '', missing: natsMissing } = find()

type StreamDetail = { name: string; state: { messages: number; consumer_count: number } }
type JetStreamReport = { account_details?: { stream_detail?: StreamDetail[] }[] }

/** What a server says of a stream's messages and consumers. */
export const streamOf = async (server: NatsServer, name: string) => {
  const report = (await server.monitor('jsz?streams=true')) as JetStreamReport
  const details = (report.account_details ?? []).flatMap(({ stream_detail }) => stream_detail ?? [])
  return details.find((detail) => detail.name === name)?.state
}
