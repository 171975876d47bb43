import type { Answer } from './server.ts'

/** Paths that the scripted form of the demo serves its script and page contents from. */
const scriptPath = '/static/page.js'
const contentPath = '/content'

/** Fetches the content of the page that it runs in. */
const script = `const target = new URL('${contentPath}' + location.pathname + location.search, location.href)
fetch(target)
  .then((response) => response.json())
  .then(({ content }) => document.querySelector('#page').insertAdjacentHTML('afterbegin', content))
`

const shell = `<body><div id="page"></div><script src="${scriptPath}" defer></script></body></html>`

/** The markup between the header of a page and its end. */
const contentOf = (page: string): string => /<main>[\s\S]*/.exec(page)?.[0].replace('</body></html>', '') ?? ''

/**
 * The same marketplace with script-generated pages: each page is served without its content, which its script fetches and
 * inserts. `plain` returns the complete page.
 */
export const answerScripted = (address: URL, plain: (address: URL) => Answer): Answer => {
  const { pathname } = address
  if (pathname === scriptPath) return { status: 200, type: 'text/javascript; charset=utf-8', body: script }
  if (pathname.startsWith(`${contentPath}/`)) {
    const { status, body } = plain(new URL(pathname.slice(contentPath.length) + address.search, address))
    return {
      status,
      type: 'application/json; charset=utf-8',
      body: JSON.stringify({ content: contentOf(String(body)) }),
    }
  }
  const page = plain(address)
  const isPage = page.status === 200 && page.type.startsWith('text/html')
  return isPage ? { ...page, body: String(page.body).replace(/<body>[\s\S]*/, shell) } : page
}
