import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

export type SiteAnswer = { readonly status?: number; readonly headers?: Record<string, string>; readonly body?: string }

/** A site on loopback with a fixed response for each path (404 for others), which records its requests. */
export const openSite = async (
  answers: Readonly<Record<string, SiteAnswer | ((request: IncomingMessage) => SiteAnswer | Promise<SiteAnswer>)>>,
) => {
  const requested: { readonly path: string; readonly headers: IncomingMessage['headers'] }[] = []
  const server = createServer(async (request, response) => {
    const path = request.url ?? ''
    requested.push({ path, headers: request.headers })
    const found = answers[path] ?? { status: 404 }
    const { status = 200, headers = {}, body = '' } = typeof found === 'function' ? await found(request) : found
    response.writeHead(status, { 'content-type': path.endsWith('.js') ? 'text/javascript' : 'text/html', ...headers })
    response.end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requested,
    paths: () => requested.map(({ path }) => path),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Markup of a card in a known layout. */
export const card = (index: number): string =>
  `<li class="s-card" data-listingid="${130000000001 + index}"><a class="s-card__link" href="/itm/${130000000001 + index}"><div class="s-card__title"><span>Camera ${index}</span></div></a><span class="s-card__price">$100.00</span></li>`

/** A page that is empty until its script has run. */
export const shellOf = (script: string): string =>
  `<!DOCTYPE html><html><head><title>Results</title></head><body><div id="root"></div>${script}</body></html>`
