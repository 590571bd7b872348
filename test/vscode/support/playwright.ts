/** The part of Playwright that the suite uses: its own types come with a package that the project does not install. */
export interface Browser {
  newContext(options: {
    readonly viewport: { readonly width: number; readonly height: number };
    readonly permissions?: readonly string[];
    readonly acceptDownloads?: boolean;
  }): Promise<BrowserContext>;
  close(): Promise<void>;
}

export interface BrowserContext {
  newPage(): Promise<Page>;
  close(): Promise<void>;
}

interface Wait {
  readonly timeout?: number;
  readonly state?: 'attached' | 'detached' | 'visible' | 'hidden';
}

interface TextFilter {
  readonly hasText?: string | RegExp;
}

export interface Scope {
  locator(selector: string, options?: TextFilter): Locator;
  getByText(text: string | RegExp, options?: { readonly exact?: boolean }): Locator;
  getByRole(
    role: string,
    options?: { readonly name?: string | RegExp; readonly exact?: boolean; readonly disabled?: boolean },
  ): Locator;
  frameLocator(selector: string): FrameScope;
}

export interface FrameScope extends Scope {
  first(): FrameScope;
}

export interface Locator extends Scope {
  filter(options: TextFilter): Locator;
  first(): Locator;
  last(): Locator;
  nth(index: number): Locator;
  count(): Promise<number>;
  click(options?: {
    readonly timeout?: number;
    readonly modifiers?: readonly string[];
    readonly button?: 'left' | 'right';
    readonly force?: boolean;
    readonly position?: { readonly x: number; readonly y: number };
  }): Promise<void>;
  hover(options?: { readonly timeout?: number; readonly force?: boolean }): Promise<void>;
  fill(text: string, options?: { readonly timeout?: number }): Promise<void>;
  press(key: string, options?: { readonly timeout?: number }): Promise<void>;
  focus(): Promise<void>;
  waitFor(options?: Wait): Promise<void>;
  isVisible(): Promise<boolean>;
  isDisabled(): Promise<boolean>;
  allInnerTexts(): Promise<string[]>;
  textContent(): Promise<string | null>;
  textContent(): Promise<string | null>;
  boundingBox(): Promise<{ readonly x: number; readonly y: number } | null>;
  getAttribute(name: string): Promise<string | null>;
  screenshot(options: { readonly path: string }): Promise<unknown>;
  /** In the frame of the element. */
  evaluate<Result>(script: string): Promise<Result>;
}

export interface Page extends Scope {
  goto(url: string): Promise<unknown>;
  reload(): Promise<unknown>;
  close(): Promise<void>;
  evaluate<Result>(script: string): Promise<Result>;
  exposeFunction(name: string, listener: (...values: never[]) => unknown): Promise<void>;
  setDefaultTimeout(ms: number): void;
  setViewportSize(size: { readonly width: number; readonly height: number }): Promise<void>;
  emulateMedia(options: { readonly colorScheme: 'light' | 'dark' }): Promise<void>;
  screenshot(options: { readonly path: string }): Promise<unknown>;
  on(event: 'console', listener: (message: { text(): string; type(): string }) => void): void;
  on(event: 'pageerror', listener: (error: Error) => void): void;
  readonly keyboard: {
    press(key: string): Promise<void>;
    type(text: string): Promise<void>;
    insertText(text: string): Promise<void>;
  };
  readonly mouse: { move(x: number, y: number): Promise<void> };
}
