"""命令行：`python3 -m fapiao.cli 文件 --名录 文件`。"""

import argparse
import re
import sys

from . import reader, report, rules
from .errors import 发票错误


def main(参数=None):
    解析器 = argparse.ArgumentParser(prog="fapiao", description="核对一个月的增值税发票。")
    解析器.add_argument("文件", help="业务系统导出的 CSV，文件名形如 2026-03.csv")
    解析器.add_argument("--名录", required=True, help="供应商名录 CSV")
    解析器.add_argument("--只看", help="只显示某一条规则的问题，例如 税额")
    解析器.add_argument("--供应商", action="store_true", help="加上按供应商的汇总")
    选项 = 解析器.parse_args(参数)
    期间 = re.search(r"(\d{4})-(\d{2})", 选项.文件)
    if not 期间:
        print(f"错误：从文件名“{选项.文件}”看不出月份，应形如 2026-03.csv", file=sys.stderr)
        return 2
    try:
        全部 = reader.读发票(选项.文件)
        名录 = reader.读名录(选项.名录)
    except 发票错误 as 错误:
        print(f"错误：{错误}", file=sys.stderr)
        return 2
    问题们 = rules.核对(全部, 名录, int(期间[1]), int(期间[2]))
    if 选项.只看:
        问题们 = [项 for 项 in 问题们 if 项.规则 == 选项.只看]
    print(report.汇总(全部, 问题们))
    print(report.明细(问题们))
    if 选项.供应商:
        print(report.按供应商(全部, 名录))
    return 1 if 问题们 else 0


if __name__ == "__main__":
    sys.exit(main())
