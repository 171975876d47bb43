import { freePort, type NatsServer, startNatsServer } from '@trellis/distributed/servers'
import { natsCommand } from './programs.ts'

type StreamDetail = { name: string; state: { messages: number; consumer_count: number } }
type JetStreamReport = { account_details?: { stream_detail?: StreamDetail[] }[] }

/** The state of a stream according to the server's monitoring: its messages and consumers. */
export const streamOf = async (server: NatsServer, name: string) => {
  const report = (await server.monitor('jsz?streams=true')) as JetStreamReport
  const details = (report.account_details ?? []).flatMap(({ stream_detail }) => stream_detail ?? [])
  return details.find((detail) => detail.name === name)?.state
}

/** Starts a cluster of three servers. */
export const startNatsCluster = async (): Promise<NatsServer[]> => {
  const routes = await Promise.all([freePort(), freePort(), freePort()])
  const joined = routes.map((port) => `nats://127.0.0.1:${port}`).join(', ')
  const member = (port: number, index: number) =>
    `server_name: n${index}\ncluster { name: c, listen: "127.0.0.1:${port}", routes: [${joined}] }`
  return await Promise.all(
    routes.map((port, index) => startNatsServer({ command: natsCommand, configuration: member(port, index) })),
  )
}
