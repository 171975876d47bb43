import { expect, test } from 'vitest'
import { readSellerPage } from './seller-page.ts'

const list = (...items: readonly string[]) => `<ul class="srp-refine__category__list">${items.join('')}</ul>`
const item = (label: string, ...narrower: readonly string[]) =>
  `<li class="srp-refine__category__item">${label}${narrower.length === 0 ? '' : list(...narrower)}</li>`
const link = (name: string) => `<a href="https://www.site.com/sch/15032/i.html?_ssn=ada"><span>${name}</span></a>`
const selected = (name: string) => `<span><span class="clipped">Selected category</span>${name}</span>`
const more = item('<span>Show More</span>')

/** A filter by an aspect of the items, as pages have dozens. Its link keeps the category of the search. */
const aspect = (name: string, count: string) =>
  `<li class="x-refine__main__list--value"><div class="x-refine__multi-select"><a class="x-refine__multi-select-link" href="?_sacat=0&_ssn=ada&Platform=${name}"><span class="x-refine__multi-select-cbx">${name}<span class="x-refine__multi-select-histogram"> (${count})</span></span></a></div></li>`
const aspects = `<ul>${aspect('Nintendo', '4,620,472')}${aspect('Microsoft Xbox', '1,204')}</ul>`
const page = (total: string, tree: string) =>
  `<html><h1 class="srp-controls__count-heading"><span class="BOLD">${total}</span> results</h1>${tree}${aspects}</html>`

test("a seller's categories are read from the tree, each once: parents contain the others, and filters are none", () => {
  const tree = list(
    item(
      selected('All'),
      item(
        link('Cell Phones &amp; Accessories'),
        item(link('Cell Phone Accessories')),
        item(link('Smart Watches')),
        item('<span>More</span>'),
      ),
      item(link('Video Games &amp; Consoles'), item(link('Video Games'))),
      item(link('Toys &amp; Hobbies')),
      more,
    ),
  )
  expect(readSellerPage(page('1,200', tree))).toMatchObject({ history: { CELL_PHONES: 2, VIDEO_GAMES: 1 } })
})

test('a seller whose categories are all of one kind has as many listings of it as the page announces', () => {
  const tree = list(item(selected('All'), item(link('Cell Phones &amp; Accessories'), item(link('Smart Watches')))))
  expect(readSellerPage(page('1,204', tree))).toMatchObject({ history: { CELL_PHONES: 1204 } })
})

test('counts in a tree of categories are used', () => {
  const tree = list(item(link('All'), item(link('Video Games (1.204)')), item(link('Books (12)'))))
  expect(readSellerPage(page('1,216', tree))).toMatchObject({ history: { VIDEO_GAMES: 1204 } })
})

test("a seller's page whose only lists are filters of other kinds is not understood", () => {
  expect(readSellerPage(page('1,204', '')).kind).toBe('unreadable')
})
