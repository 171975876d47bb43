import { facts, withBase } from './facts.ts'

/** Where the reader of an entry of the history was: its scroll position and the link or field that had the focus. */
type Place = { scroll: number; focus: string | null }

const readUrl = (): URL => new URL(window.location.href)

let url = $state.raw(readUrl())
/** The address that the shown page had last: while the next page loads, this one would read a state that is not its own. */
let shownUrl = $state.raw(readUrl())
/** Changes with each navigation that shows another page, so that the shell moves the focus. */
let arrival = $state.raw<{ place: Place | null }>({ place: null })

const setUrl = (next: URL): void => {
  if (next.pathname === shownUrl.pathname) shownUrl = next
  url = next
}

/** The page of the address is shown from now on. */
export const showPage = (): void => {
  shownUrl = url
}

const places = new Map<string, Place>()
const keyOf = (state: unknown): string =>
  typeof state === 'object' && state !== null && 'key' in state ? String(state.key) : 'first'
let key = keyOf(history.state)

const selectorOf = (element: Element | null): string | null => {
  if (!(element instanceof HTMLElement)) return null
  if (element.id !== '') return `#${CSS.escape(element.id)}`
  const link = element.getAttribute('href')
  return link === null ? null : `a[href="${CSS.escape(link)}"]`
}

const remember = (): void => {
  places.set(key, { scroll: window.scrollY, focus: selectorOf(document.activeElement) })
}

const withoutBase = (path: string): string =>
  path.startsWith(facts.base) ? path.slice(facts.base.length) || '/' : path

/** The address shown, without the installation's base path. */
export const here = {
  get path(): string {
    return withoutBase(url.pathname)
  },
  /** Those of the shown page: until the next page has loaded, they stay. */
  get parameters(): URLSearchParams {
    return shownUrl.searchParams
  },
  /** Whether the page of the address is shown, and not still the one before. */
  get isShown(): boolean {
    return shownUrl.pathname === url.pathname
  },
  get hash(): string {
    return url.hash
  },
  get arrival(): { place: Place | null } {
    return arrival
  },
}

export type NavigateOptions = {
  /** Replaces the entry of the history instead of adding one: for typing, not for choices. */
  replace?: boolean
}

/** Shows another page or state: a path of the app such as `/logs?q=error`, or only `?q=error`. */
export const navigate = (to: string, { replace = false }: NavigateOptions = {}): void => {
  const next = new URL(to.startsWith('/') ? withBase(to) : to, url)
  if (next.href === url.href) return
  const isOtherPage = next.pathname !== url.pathname
  if (replace) history.replaceState({ key }, '', next)
  else {
    remember()
    key = crypto.randomUUID?.() ?? String(Math.random())
    history.pushState({ key }, '', next)
  }
  setUrl(next)
  if (isOtherPage) arrival = { place: null }
}

/** A way to another page for what takes a while, such as an upload: it is not taken once the reader has left the page where it began. */
export const navigateLater = (): ((to: string) => void) => {
  const { pathname } = url
  return (to) => {
    if (url.pathname === pathname) navigate(to)
  }
}

/** Plain left clicks on links to pages of the app become navigation; files and other sites are left to the browser. */
const followLink = (isPage: (path: string) => boolean) => (event: MouseEvent) => {
  if (event.defaultPrevented || event.button !== 0) return
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
  const link = event.target instanceof Element ? event.target.closest('a') : null
  if (link?.target !== '' || link.hasAttribute('download') || link.origin !== window.location.origin) return
  const path = withoutBase(link.pathname)
  if (!link.pathname.startsWith(facts.base) || !isPage(path)) return
  if (link.hash !== '' && link.pathname === url.pathname && link.search === url.search) return
  event.preventDefault()
  navigate(path + link.search + link.hash)
}

/** Starts to follow links and the browser's back and forward; returns a function that stops it. */
export const startNavigation = (isPage: (path: string) => boolean): (() => void) => {
  history.scrollRestoration = 'manual'
  const onClick = followLink(isPage)
  const onBack = (event: PopStateEvent) => {
    remember()
    key = keyOf(event.state)
    const before = url.pathname
    setUrl(readUrl())
    const place = places.get(key) ?? { scroll: 0, focus: null }
    if (url.pathname !== before) arrival = { place }
  }
  document.addEventListener('click', onClick)
  window.addEventListener('popstate', onBack)
  return () => {
    document.removeEventListener('click', onClick)
    window.removeEventListener('popstate', onBack)
  }
}
