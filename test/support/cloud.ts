import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Tier } from '@trellis/kit/rpc'
import { SignJWT } from 'jose'
import { startTrellis, type Trellis } from './trellis.ts'

const secret = 'a secret of at least thirty-two characters'

/** A licensing service on which the tier of a user is the part of their id before the hyphen: `paid-ann` has the tier paid. */
const serveLicences = async (): Promise<AsyncDisposable & { url: string }> => {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const { user_id: user } = JSON.parse(Buffer.concat(chunks).toString()) as { user_id: string }
    response.end(JSON.stringify(request.url?.endsWith('resolve') ? { tier: user.split('-')[0] } : {}))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

export type Cloud = AsyncDisposable & {
  trellis: Trellis
  /** Headers of a signed-in user of a tier; the same name is the same user. */
  user: (tier: Exclude<Tier, 'local'>, name?: string) => Promise<Record<string, string>>
  /** Headers of a guest; each call is another guest. */
  guest: () => Record<string, string>
}

/** Starts Trellis in cloud mode, with a licensing service. */
export const startCloud = async (environment: Record<string, string> = {}): Promise<Cloud> => {
  await using stack = new AsyncDisposableStack()
  const licences = stack.use(await serveLicences())
  const cloud = {
    CLOUD_MODE: '1',
    GATEWAY_JWT_SECRET: secret,
    LICENSE_URL: licences.url,
    LICENSE_TOKEN: 'licence-token',
  }
  const trellis = stack.use(await startTrellis({ ...cloud, ...environment }))
  const user = async (tier: string, name = 'ann') => {
    const token = new SignJWT({ id: `${tier}-${name}` }).setProtectedHeader({ alg: 'HS256' }).setExpirationTime('1h')
    return { 'x-gateway-session': await token.sign(new TextEncoder().encode(secret)) }
  }
  const opened = stack.move()
  return {
    trellis,
    user,
    guest: () => ({ cookie: `listing_guest=${randomUUID()}` }),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}
