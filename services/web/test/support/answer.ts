import type { Page, Route } from 'playwright-core'

export type Answer = { status: number; body?: string; headers?: Record<string, string> }

const isAt = (path: string | RegExp) => (url: URL) =>
  typeof path === 'string' ? url.pathname === path : path.test(url.pathname)

/** Answers a route of the API in the place of the server, until the returned function is called. */
export const answer = async (
  page: Page,
  path: string | RegExp,
  { status, body = '', headers = {} }: Answer,
): Promise<() => Promise<void>> => {
  const matches = isAt(path)
  await page.route(matches, (route: Route) =>
    route.fulfill({ status, headers: { 'content-type': 'application/json', ...headers }, body }),
  )
  return () => page.unroute(matches)
}

/** Leaves a route of the API without an answer, until the returned function is called. */
export const withhold = async (page: Page, path: string | RegExp): Promise<() => void> => {
  const { promise, resolve } = Promise.withResolvers<void>()
  await page.route(isAt(path), async (route: Route) => {
    await promise
    await route.fallback()
  })
  return resolve
}

/** Lets requests of a method through to the server and holds their answers back, until the returned function is called. */
export const answerLate = async (page: Page, method: string, path: string | RegExp): Promise<() => void> => {
  const { promise, resolve } = Promise.withResolvers<void>()
  await page.route(isAt(path), async (route: Route) => {
    if (route.request().method() !== method) return route.fallback()
    const response = await route.fetch()
    await promise
    await route.fulfill({ response })
  })
  return resolve
}

/** Changes what a route of the API answers. */
export const amend = async <Body>(page: Page, path: string | RegExp, change: (body: Body) => void): Promise<void> => {
  await page.route(isAt(path), async (route: Route) => {
    const response = await route.fetch()
    const body = (await response.json()) as Body
    change(body)
    await route.fulfill({ response, json: body })
  })
}
