import { type ChromiumOptions, launchChromium } from './launch.ts'
import { createPages } from './pages.ts'
import { createRender, type Render } from './render.ts'

export type BrowserOptions = ChromiumOptions & {
  readonly userAgent: string
  readonly timeoutMilliseconds?: number
  readonly idleMilliseconds?: number
}

export type RenderingBrowser = AsyncDisposable & { readonly render: Render }

const mebibyte = 1024 * 1024

/**
 * A browser with default limits: started by the first page that needs it, three pages at once, 30 s, 40 subresource requests
 * and 8 Mi characters a page, replaced after 100 pages, closed after 30 s without one.
 */
export const createBrowser = ({
  userAgent,
  timeoutMilliseconds = 30_000,
  idleMilliseconds = 30_000,
  ...chromium
}: BrowserOptions): RenderingBrowser => {
  const pages = createPages({
    launch: () => launchChromium(chromium),
    userAgent,
    maxOpen: 3,
    maxPerBrowser: 100,
    idleMilliseconds,
  })
  const render = createRender({
    pages,
    timeoutMilliseconds,
    maxRequests: 40,
    maxCharacters: 8 * mebibyte,
    maxElements: 200_000,
  })
  return { render, [Symbol.asyncDispose]: () => pages[Symbol.asyncDispose]() }
}
