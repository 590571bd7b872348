import { plainText } from '../../../python/values/text-value.ts';
import type { Call, Value } from '../../../python/values/value.ts';
import type { Program } from '../program/program.ts';
import { clientOf } from './client.ts';
import { noteUnread } from './note-unread.ts';

/** Modules that come with Python. */
const standard = new Set(
  'abc argparse array ast asynchat asyncio asyncore atexit base64 bdb binascii bisect builtins bz2 cProfile calendar cmath cmd code codecs codeop collections colorsys compileall concurrent configparser contextlib contextvars copy copyreg csv ctypes dataclasses datetime dbm decimal difflib dis doctest email encodings enum errno faulthandler fcntl filecmp fileinput fnmatch fractions ftplib functools gc getopt getpass gettext glob graphlib grp gzip hashlib heapq hmac html http imaplib imp importlib inspect io ipaddress itertools json keyword linecache locale logging lzma mailbox mailcap marshal math mimetypes mmap modulefinder multiprocessing netrc nt numbers operator optparse os pathlib pdb pickle pickletools pkgutil platform plistlib poplib posix posixpath pprint profile pstats pwd py_compile pyexpat queue quopri random re reprlib resource runpy sched secrets select selectors shelve shlex shutil signal site smtpd smtplib socket socketserver sqlite3 ssl stat statistics string stringprep struct subprocess symtable sys sysconfig syslog tarfile tempfile textwrap threading time timeit token tokenize tomllib trace traceback tracemalloc types typing unicodedata unittest urllib uuid warnings weakref webbrowser wsgiref xml xmlrpc zipapp zipfile zipimport zlib zoneinfo'.split(
    ' ',
  ),
);

/** Libraries that touch no table by themselves, and those whose reads and writes are followed where they are called. */
const known = new Set(
  'airflow airflow_clickhouse_plugin airbyte arrow asyncmy asyncpg attr attrs awswrangler azure babel backoff bcrypt bigquery boto boto3 botocore bs4 bson cachetools catboost cattrs certifi chardet charset_normalizer cityhash click clickhouse_connect clickhouse_driver cloudpickle colorama confluent_kafka cosmos croniter cryptography cx_Oracle cycler dask databricks dateparser dateutil deltalake docker dotenv duckdb ee elasticsearch environs fabric fake_useragent faker fastavro fastparquet feedparser fiona folium fsspec ftfy fuzzywuzzy gcsfs geojson geopandas geopy gluonts google googleapiclient great_expectations gspread gspread_dataframe h3 h5py holidays html2text html5lib httplib2 httpx humanize hvac ibis imblearn imageio importlib_metadata iso3166 isodate isort jinja2 jmespath joblib jose jsonpath_ng jsonschema jwt kafka keras kubernetes langdetect langid lightgbm loguru lxml magic markdown markupsafe marshmallow matplotlib minio mlflow mlxtend more_itertools moto msal msgpack MySQLdb mysql ndjson networkx nltk numba numpy oauth2client oauthlib onnx openai openpyxl oracledb orjson osgeo oss2 packaging pandahouse pandas pandas_gbq pandera papermill paramiko peewee pendulum phonenumbers PIL plotly polars prettytable prometheus_client prophet proto psutil psycopg psycopg2 psycopg_pool pyarrow pyathena pydantic pydantic_settings pyhive pymongo pymssql pymysql pyodbc pypdf PyPDF2 pyproj pyreadstat pysftp pyspark pytesseract pytz pyxlsb rarfile rasterio ratelimit ray redis redshift_connector regex reportlab requests requests_oauthlib retry retrying rich rioxarray ruamel s3fs s3transfer sagemaker scipy seaborn selenium sentry_sdk shap shapefile shapely simplejson singer six sklearn slack slack_sdk slackclient slugify smart_open snowflake sodapy spacy sqlalchemy sqlglot sqlmodel sqlparse statsmodels stringcase structlog tabula tabulate tenacity tensorflow textblob toml tomli tomlkit toolz torch torchvision tqdm transformers trino typeguard typer typing_extensions tzlocal ujson unicodecsv unidecode unstructured urllib3 validators vertica_python vertexai webdriver_manager werkzeug wget xarray xgboost xlrd xlsxwriter xlwt xmltodict yaml yfinance zoneinfo zstandard'.split(
    ' ',
  ),
);

/** `from warehouse.load import refresh`: what such a function does is in a file that this workspace does not hold. */
export function sayDefinedOutside(program: Program, name: string, call: Call): void {
  const [root = '', ...path] = name.split('.');
  if (program.running === undefined || path.length === 0 || standard.has(root) || known.has(root)) return;
  // What is raised, says how to log or only holds settings does no work.
  if (/(?:Error|Exception|Warning|Enum|Config|Settings)$|logg/i.test(path[path.length - 1] ?? '')) return;
  const reason = `${call.callee}(…) ${outside}`;
  if (!program.running.unread.some((other) => other.reason.startsWith(reason)))
    noteUnread(program, 'code', reason, call.at);
}

/** `client.send(…)` of a client that the module has made of a class from elsewhere: that call was made before any task ran. */
export function sayMadeOutside(program: Program, self: Value, call: Call): void {
  if (self.kind !== 'instance' && self.kind !== 'bound-method') return;
  const type = clientOf(self)?.type;
  if (type !== undefined && !program.running?.unread.some(({ reason }) => reason.endsWith(outside)))
    sayDefinedOutside(program, type, call);
}

const outside = 'is defined outside the workspace';

/** `requests.post(…)`: a service does at the other end what it does. */
export function asksService(name: string, last: string, call: Call, self: Value | undefined): string | undefined {
  if (
    !sending.test(last) ||
    !/^(?:requests|httpx|aiohttp|urllib3)\b/.test(self === undefined ? name : (clientOf(self)?.type ?? ''))
  )
    return undefined;
  const url = plainText(call.positional[0] ?? call.keywords.get('url')?.value);
  return url !== undefined && onlyTells.test(url)
    ? undefined
    : `what ${call.callee}(…) does at the other end is not known`;
}

const sending = /^(?:post|put|patch|delete)$/;

/** Messages to people, and what asks for a token. */
const onlyTells = /slack|discord|telegram|teams|webhook|oauth|token|login|auth|notif/i;
