import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Tier } from '@trellis/kit/rpc'
import { SignJWT } from 'jose'
import { startTrellis, type Trellis } from './trellis.ts'

const secret = 'a secret of at least thirty-two characters'

/** Headers of a signed-in user of a tier; the same name is the same user. */
export const signedUser = async (tier: Exclude<Tier, 'local'>, name = 'ann'): Promise<Record<string, string>> => {
  const token = new SignJWT({ id: `${tier}-${name}` }).setProtectedHeader({ alg: 'HS256' }).setExpirationTime('4h')
  return { 'x-gateway-session': await token.sign(new TextEncoder().encode(secret)) }
}

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
  user: typeof signedUser
  /** Headers of a guest; each call is another guest. */
  guest: () => Record<string, string>
}

/** Starts a licensing service; an installation with its settings is in cloud mode. */
export const openCloud = async (): Promise<AsyncDisposable & { environment: Record<string, string> }> => {
  const licences = await serveLicences()
  return {
    environment: {
      CLOUD_MODE: '1',
      GATEWAY_JWT_SECRET: secret,
      LICENSE_URL: licences.url,
      LICENSE_TOKEN: 'licence-token',
    },
    [Symbol.asyncDispose]: () => licences[Symbol.asyncDispose](),
  }
}

/** Starts Trellis in cloud mode, with a licensing service. */
export const startCloud = async (environment: Record<string, string> = {}): Promise<Cloud> => {
  await using stack = new AsyncDisposableStack()
  const cloud = stack.use(await openCloud())
  const trellis = stack.use(await startTrellis({ ...cloud.environment, ...environment }))
  const opened = stack.move()
  return {
    trellis,
    user: signedUser,
    guest: () => ({ cookie: `listing_guest=${randomUUID()}` }),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}
