import { onMount } from 'svelte'
import { afterNetworkChange } from '../api/connection.svelte.ts'

const failedStyles = new Set<HTMLLinkElement>()
// Errors of files do not bubble.
window.addEventListener(
  'error',
  ({ target }) => {
    if (target instanceof HTMLLinkElement && target.rel === 'stylesheet') failedStyles.add(target)
  },
  true,
)

/** Styles that failed are not requested again with the part that needs them: Vite requests each once in the life of a page. */
const reloadStyles = async (): Promise<void> => {
  const reload = (link: HTMLLinkElement) => {
    failedStyles.delete(link)
    const next = link.cloneNode() as HTMLLinkElement
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    next.addEventListener('load', resolve)
    next.addEventListener('error', () => reject(new Error(`${next.href} could not be loaded.`)))
    link.replaceWith(next)
    return promise
  }
  await Promise.all([...failedStyles].map(reload))
}

/**
 * Loads a part of the app that is a file of its own, such as a page or a dialog. One that fails is loaded once more: a change of the network ends
 * requests that work right after it.
 */
export const loadPart = async <Part>(load: () => Promise<Part>): Promise<Part> => {
  try {
    // Of parts that were loaded ahead: their scripts are here, and would be used without the styles that are not.
    await reloadStyles()
    return await load()
  } catch {
    await afterNetworkChange()
    await reloadStyles()
    return load()
  }
}

/** Browsers without idle callbacks wait so long. */
const waitMilliseconds = 200
/** A browser that is never idle, on a busy machine, waits so long. */
const longestWaitMilliseconds = 1_000

/**
 * Loads parts of the app that a page may need next as soon as the browser has nothing else to do, so that they are there at once. Call it in the script
 * of a component. One that fails is loaded when it is needed, which also reports failures.
 */
export const loadWhenIdle = (...loads: readonly (() => Promise<unknown>)[]): void => {
  onMount(() => {
    const loadAll = () => {
      for (const load of loads) load().catch(() => undefined)
    }
    if (!('requestIdleCallback' in window)) {
      const timer = setTimeout(loadAll, waitMilliseconds)
      return () => clearTimeout(timer)
    }
    const request = requestIdleCallback(loadAll, { timeout: longestWaitMilliseconds })
    return () => cancelIdleCallback(request)
  })
}
