/**
 * Runs before the app, from a file of its own that imports nothing. When a script or a style of the app could not be loaded, such as during a change of
 * the network or of the server's version, it loads the page again as soon as the server answers, but only once: after that, it leaves it to the reader.
 * What they read meanwhile is in `index.html`, so that it is there without this file, too.
 */
const storageKey = 'trellis.reloaded'
const maxWaitMilliseconds = 8_000
const notice = document.getElementById('not-loaded')

/** Whether this tab has loaded the page again by itself since the app was last shown. Without storage it never does, as it could not stop. */
const hasReloaded = (): boolean => {
  try {
    return sessionStorage.getItem(storageKey) !== null
  } catch {
    return true
  }
}

const isServed = async (): Promise<boolean> => {
  try {
    return (await fetch(location.href, { cache: 'no-store' })).ok
  } catch {
    return false
  }
}

const reloadWhenServed = async (failures = 0): Promise<void> => {
  if (!(await isServed())) {
    setTimeout(() => reloadWhenServed(failures + 1), Math.min(maxWaitMilliseconds, 1_000 * 2 ** failures))
    return
  }
  try {
    sessionStorage.setItem(storageKey, '1')
  } catch {
    // A reload that is not recorded could repeat for ever.
    return show(manually)
  }
  location.reload()
}

const manually = 'Trellis could not be loaded. Check that you are online, then reload the page.'
const show = (sentence: string): void => {
  const line = notice?.querySelector('p')
  if (!notice || !line) return
  line.textContent = sentence
  notice.dataset.failed = ''
}

let isReported = false
const report = (isMissing: boolean): void => {
  if (isReported) return
  isReported = true
  if (isMissing && !hasReloaded()) {
    show('Trellis could not be loaded. It is tried again as soon as the server answers.')
    void reloadWhenServed()
  } else show(manually)
}

const isOfApp = (element: EventTarget | null): boolean =>
  element instanceof HTMLScriptElement || (element instanceof HTMLLinkElement && element.rel === 'stylesheet')

const onError = ({ target }: Event): void => {
  if (isOfApp(target)) report(true)
  // The app has begun and failed, such as in a browser that is too old for it: it would again.
  else if (target === window && notice?.isConnected) report(false)
}

/** Browsers represent a style that failed as one without rules, or as one whose rules cannot be read. */
const hasFailed = ({ sheet }: HTMLLinkElement): boolean => {
  try {
    return !sheet?.cssRules.length
  } catch {
    return true
  }
}

// Styles hold this script up until they are there or have failed.
if ([...document.querySelectorAll<HTMLLinkElement>('link[rel=stylesheet]')].some(hasFailed)) report(true)
// Errors of files do not bubble.
window.addEventListener('error', onError, true)
// Later failures are those of pages and dialogs, which report them.
window.addEventListener('load', () => {
  window.removeEventListener('error', onError, true)
  if (isReported || notice?.isConnected) return
  try {
    sessionStorage.removeItem(storageKey)
  } catch {
    // Without storage, nothing is recorded.
  }
})

export {}
