export type Server = { host: string; port: number }

const read = (text: string, defaultPort: number): Server => {
  // The scheme is optional for NATS servers and does not affect the host.
  const { hostname, port } = new URL(`tcp://${text.replace(/^[a-z+]+:\/\//, '')}`)
  return { host: hostname.replace(/^\[|\]$/g, ''), port: port === '' ? defaultPort : Number(port) }
}

/** The servers in a process' environment, by their kind. Of several NATS servers, one suffices. */
export const serversOf = ({ NATS_URL = '', DATABASE_URL = '' }: NodeJS.ProcessEnv): Record<string, Server[]> => {
  const nats = NATS_URL.split(',')
    .map((text) => text.trim())
    .filter((text) => text !== '')
    .map((text) => read(text, 4222))
  return {
    ...(nats.length === 0 ? {} : { NATS: nats }),
    ...(DATABASE_URL === '' ? {} : { Postgres: [read(DATABASE_URL, 5432)] }),
  }
}
