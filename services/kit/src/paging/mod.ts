export { createPaging, type Page, type Paging, type Position } from './paging.ts'
