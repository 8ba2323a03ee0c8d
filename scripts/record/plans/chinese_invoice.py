"""A session in Chinese: false alarms of an invoice checker, with Chinese sources, data and errors."""

from plans.calls import bash, edit, grep, read, write
from plans.chinese_invoice_items import ITEMS  # noqa: F401
from plans.chinese_invoice_texts import DECISION, RED_TESTS, SYSTEM

NAME = "chinese-invoice"
PROJECT = "fapiao"
LANGUAGE = "zh"
START = "2026-04-02T01:15:40+00:00"
TITLE = "发票核对工具的误报（中文会话）"
DESCRIPTION = (
    "User and agent speak Chinese: a checker of VAT invoices reports too many errors. Rounding, full-width brackets and "
    "negative (red) invoices are repaired under the accountants' rules; a tolerance is changed later on."
)

CLI = "python3 -m fapiao.cli data/2026-03.csv --名录 data/供应商.csv"
TESTS = "python3 -m unittest discover -s tests -t . -v 2>&1"


def play(s):
    """The session, in order."""
    look(s)
    rounding(s)
    names(s)
    red(s)
    tolerance(s)
    finish(s)


def look(s):
    s.user(
        """
财务部的陈会计说，三月份的核对报告里大部分都是误报，她一张一张去翻，翻了两天。请你查清楚为什么，然后修好。

做完的标准：三月份的数据里只剩下真正有问题的发票，并且每一类误报都有测试。截止日期是 4 月 10 日，那天她要报税。

限制：
- data/ 下面的原始文件不许改，一个字节都不行
- 金额一律用 Decimal，不许出现 float
- 报错信息和标识符继续用中文
- 不引入第三方库
先看代码和数据，告诉我你发现了什么，暂时不要动手改。
""",
        tag="u1",
    )
    s.agent(
        "先看整体结构和约定。",
        bash("git log --oneline && find . -name '*.py' -not -path './.git/*' | sort | xargs wc -l && wc -l data/*.csv"),
        read("README.md"),
        think="用户要求先调查。先读 README 和规则，再跑一次三月份的数据，把问题分类。",
    )
    s.agent("六条规则都在 `rules.py`，逐个读。", read("fapiao/rules.py"), read("fapiao/money.py"), read("fapiao/names.py"))
    s.agent("再看数据是怎样读进来的。", read("fapiao/reader.py"), read("fapiao/model.py"), read("fapiao/errors.py"))
    s.agent("现在跑一次三月份的核对，看完整的报告。", bash(CLI), tag="report1")
    s.agent("报告和命令行部分：", read("fapiao/report.py"), read("fapiao/cli.py"))
    s.agent("看原始数据，先看前 120 行。", read("data/2026-03.csv", limit=120), tag="data1")
    s.agent("接着看中间的部分和名录。", read("data/2026-03.csv", offset=121, limit=110), read("data/供应商.csv"))
    s.agent("最后一段，然后看现有的测试。", read("data/2026-03.csv", offset=231), read("tests/test_rules.py"), read("tests/test_money.py"))
    s.agent("测试的基线：", bash(TESTS), read("tests/test_reader.py"), tag="base")
    s.agent(
        "把“税额”这一类按照差额分组，看看有没有规律。",
        bash(
            "python3 - <<'EOF'\nfrom collections import Counter\nfrom decimal import Decimal\nfrom fapiao import money, reader\n"
            "计数 = Counter()\nfor 票 in reader.读发票('data/2026-03.csv'):\n    if 票.金额 < 0:\n        计数['负数'] += 1\n        continue\n"
            "    差 = 票.税额 - money.舍入(票.金额 * 票.税率)\n    if 差:\n"
            "        半分 = (票.金额 * 票.税率 * 100) % 1 == Decimal('0.5')\n        计数[('半分' if 半分 else '其他', str(差))] += 1\n"
            "for 键, 数 in sorted(计数.items(), key=str):\n    print(键, 数)\nEOF"
        ),
        tag="groups",
    )
    s.agent(
        """
三月份 325 张发票，报告里有 112 个问题：税额 80、期间 13、名录 14、重复 5。我还没有改任何文件。按原因分：

1. **舍入方式不对**。README 写的是四舍五入，`money.舍入` 用的却是 `ROUND_HALF_EVEN`（银行家舍入）。正好半分的时候少一分，报告里就是“相差 0.01 元”。
2. **红字发票**。金额是负数的一律报“金额不能为负数”，可是红字发票本来就是负数。
3. **尾差**。多行明细逐行舍入再相加，与整张计算相差 2 到 5 分。
4. **括号**。名录里是全角（中国），导出的数据里是半角(中国)，`names.规范` 只去掉空白。

期间 13 个和重复 5 个看起来是真的问题。建议从舍入开始，一类一类地改，每改一类就跑一次三月份的数据。可以吗？
""",
        tag="a1",
    )


def rounding(s):
    s.user(
        "分析得很清楚。就按这个顺序来，先改舍入。有同事建议干脆用 float 加 1 元的容差，省得麻烦，你怎么看？",
        tag="u2",
    )
    s.agent(
        """
不建议，理由有三个：

- 违反“金额一律使用 Decimal”的约定；
- 1 元的容差会漏掉真正的错误：三月份至少有几张相差正好 1.00 元和 2.50 元，它们不是误报；
- 原因是舍入方式，不是精度，用 float 也解决不了半分的问题。

先确认哪里用到了 `舍入`：
""",
        grep("舍入|ROUND_"),
        grep("float"),
        bash(CLI + " --只看 税额 | grep -v '负数' | grep -E '相差 -?[1-9]'"),
        tag="no-float",
    )
    s.agent(
        "只有 `money.py` 一处。改成四舍五入，并加测试：正数、负数、正好半分。",
        edit("fapiao/money.py", "from decimal import ROUND_HALF_EVEN, Decimal, InvalidOperation", "from decimal import ROUND_HALF_UP, Decimal, InvalidOperation"),
        edit(
            "fapiao/money.py",
            '    """舍入到分。"""\n    return 值.quantize(分, rounding=ROUND_HALF_EVEN)',
            '    """四舍五入到分，负数远离零，与开票软件一致。"""\n    return 值.quantize(分, rounding=ROUND_HALF_UP)',
        ),
        edit(
            "tests/test_money.py",
            "    def test_显示(self):",
            '    def test_半分四舍五入(self):\n        for 原值, 结果 in (("0.005", "0.01"), ("0.025", "0.03"), ("-0.025", "-0.03"), ("13.065", "13.07"), ("13.0649", "13.06")):\n'
            "            self.assertEqual(money.舍入(Decimal(原值)), Decimal(结果), 原值)\n\n    def test_显示(self):",
        ),
        bash(TESTS),
        bash(CLI),
        tag="half-up",
    )
    s.agent(
        "问题从 112 个降到 87 个，税额从 80 个降到 55 个，正好少了 25 个半分的误报，其他各类没有变化。原始数据没有动：",
        bash("git status --short && git diff"),
        tag="a2",
    )
    s.user("很好。确认一下：决定用 ROUND_HALF_UP，理由是开票软件就是这样算的；float 的方案否决，以后不要再提。接着改括号的问题。", tag="u3")
    s.label("u3", "决定：四舍五入")


def names(s):
    s.agent(
        "先看所有名称不一致的记录。",
        bash(CLI + " --只看 名录"),
        read("fapiao/names.py"),
        grep("names\\.|规范|相同"),
        tag="names-list",
    )
    s.agent(
        "最简单的设想：只替换两种括号。先试验。",
        edit("fapiao/names.py", '    return "".join(名称.split())', '    return "".join(名称.split()).replace("(", "（").replace(")", "）")'),
        bash(CLI + " --只看 名录"),
        bash(
            "python3 - <<'EOF'\nfrom fapiao import names\n对 = [('上海ＡＢＣ有限公司', '上海ABC有限公司'), ('北京１２３物流', '北京123物流'), ('杭州(中国)', '杭州（中国）'),\n"
            "     ('宁波　永泰', '宁波永泰'), ('上海明达五金', '上海明远五金')]\nfor 甲, 乙 in 对:\n    print(甲, 乙, names.相同(甲, 乙))\nEOF"
        ),
        tag="brackets-only",
    )
    s.agent(
        "括号解决了三月份的全部名录误报（现在是 0 个），但是全角的字母和数字还不行：“上海ＡＢＣ”与“上海ABC”仍然不同。撤回这个试验，改用 Unicode 的 NFKC，它是标准库里的。",
        bash("git checkout fapiao/names.py && git diff --stat"),
        edit(
            "fapiao/names.py",
            '"""单位名称：同一家单位在不同系统里写法不同，比较之前先规范化。"""\n',
            '"""单位名称：同一家单位在不同系统里写法不同，比较之前先规范化。"""\n\nimport unicodedata\n',
        ),
        edit(
            "fapiao/names.py",
            '    """去掉首尾和中间的空白。"""\n    return "".join(名称.split())',
            '    """全角的括号、字母、数字、空格统一成半角（NFKC），再去掉所有空白。字母不分大小写。"""\n'
            '    return "".join(unicodedata.normalize("NFKC", 名称).split()).upper()',
        ),
        write(
            "tests/test_names.py",
            '''
"""单位名称的比较。"""

import unittest

from fapiao import names


class 名称测试(unittest.TestCase):
    def test_写法不同的同一家(self):
        for 甲, 乙 in (
            ("苏州恒信(中国)信息技术有限公司", "苏州恒信（中国）信息技术有限公司"),
            ("上海ＡＢＣ贸易有限公司", "上海abc贸易有限公司"),
            ("北京１２３物流有限公司", "北京123物流有限公司"),
            ("宁波永泰　有限公司", "宁波永泰有限公司"),
        ):
            self.assertTrue(names.相同(甲, 乙), 甲)

    def test_一字之差就是两家(self):
        for 甲, 乙 in (("上海明达五金有限公司", "上海明远五金有限公司"), ("恒信（中国）有限公司", "恒信有限公司")):
            self.assertFalse(names.相同(甲, 乙), 甲)


if __name__ == "__main__":
    unittest.main()
''',
        ),
        bash(TESTS),
        bash(CLI),
        tag="nfkc",
    )
    s.agent(
        """
名录的误报从 14 个降到 0 个，问题总数 73 个，测试 18 个全部通过。

另外考虑过模糊匹配（编辑距离），我不建议：“上海明达”和“上海明远”只差一个字，却是两家公司，漏报比误报更危险。现在的做法只统一写法，不猜测。
""",
        tag="a3",
    )
    s.user("同意，不要模糊匹配。NFKC 就可以。下面是红字发票，规则我去问一下陈会计。", tag="u4")
    s.agent(
        "好的。趁这个时间我把三月份所有负数的记录列出来，供她参考。",
        bash("grep -n -E ',-[0-9]+' data/2026-03.csv"),
        bash(CLI + " --只看 税额 | grep 负数 | wc -l"),
        tag="red-list",
    )
    s.agent("负数的记录里，大多数备注写着“红字信息表编号”，后面跟 12 位数字；有几张备注是空的。是否允许空，请陈会计决定。", tag="a4")


def red(s):
    s.user(
        """
陈会计的答复：
1. 红字发票的备注必须有红字信息表编号，12 位数字，没有的就是真问题，要报出来
2. 金额、税额、价税合计三个数的正负号必须一致
3. 红字发票也要查税额，同样四舍五入
4. 新规则的名称叫“红字”，报告里排在“重复”后面
汇总里要单独列出红字发票的张数和金额合计。
""",
        tag="u5",
    )
    s.agent("先把涉及的三个文件再看一遍。", read("fapiao/rules.py"), read("fapiao/report.py"), read("fapiao/model.py"))
    s.agent(
        "先写测试，它们现在应该失败。",
        write("tests/test_red.py", RED_TESTS),
        bash("python3 -m unittest tests.test_red 2>&1"),
        tag="red-tests",
    )
    s.agent(
        "如预期失败。现在写规则。",
        edit(
            "fapiao/rules.py",
            '    if 票.金额 < 0:\n        yield 问题(票.行号, 票.编号, "税额", f"金额不能为负数：{money.显示(票.金额)}")\n        return\n    应为',
            "    应为",
        ),
        edit(
            "fapiao/rules.py",
            "def 查期间(票, 年, 月):",
            'def 查红字(票):\n    """负数金额的发票：正负号一致，备注里有 12 位的红字信息表编号。"""\n'
            "    if len({数 < 0 for 数 in (票.金额, 票.税额, 票.合计) if 数}) > 1:\n"
            '        yield 问题(票.行号, 票.编号, "红字", "金额、税额、价税合计的正负号不一致")\n'
            "    if 票.金额 >= 0:\n        return\n"
            '    找到 = re.search(r"红字信息表编号\\s*(\\S*)", 票.备注)\n    if not 找到:\n'
            '        yield 问题(票.行号, 票.编号, "红字", f"金额 {money.显示(票.金额)} 元，备注里缺少红字信息表编号")\n'
            '    elif not re.fullmatch(r"[0-9]{12}", 找到[1]):\n'
            '        yield 问题(票.行号, 票.编号, "红字", f"红字信息表编号“{找到[1]}”应为 12 位数字")\n\n\n'
            "def 查期间(票, 年, 月):",
        ),
        edit("fapiao/rules.py", "from decimal import Decimal\n\nfrom . import money, names", "import re\nfrom decimal import Decimal\n\nfrom . import money, names"),
        edit("fapiao/rules.py", "        for 规则 in (查税率, 查税额, 查合计):", "        for 规则 in (查税率, 查税额, 查合计, 查红字):"),
        bash("python3 -m unittest tests.test_red 2>&1"),
        tag="red-rule",
    )
    s.agent(
        "红字的测试全部通过。接着是汇总。",
        edit("fapiao/report.py", '规则顺序 = ("税率", "税额", "合计", "期间", "名录", "重复")', '规则顺序 = ("税率", "税额", "合计", "期间", "名录", "重复", "红字")'),
        edit(
            "fapiao/report.py",
            '    计数 = Counter(项.规则 for 项 in 问题们)\n    行 = [',
            "    计数 = Counter(项.规则 for 项 in 问题们)\n    红字 = [票 for 票 in 全部 if 票.金额 < 0]\n    行 = [",
        ),
        edit(
            "fapiao/report.py",
            '        f"问题个数：{len(问题们)}",',
            '        f"其中红字：{len(红字)} 张，金额合计 {money.显示(sum((票.金额 for 票 in 红字), Decimal(0)))} 元",\n        f"问题个数：{len(问题们)}",',
        ),
        bash(TESTS),
        bash(CLI),
        tag="red-report",
    )
    s.agent(
        "把改动整体看一遍，确认数据文件没有被碰过。",
        bash("git diff && git status --short data/"),
        read("fapiao/rules.py"),
        tag="red-diff",
    )
    s.agent(
        """
红字发票完成：

- `fapiao/rules.py`：新函数 `查红字`，去掉“金额不能为负数”；
- `fapiao/report.py`：汇总里多了一行“其中红字”；
- `tests/test_red.py`：6 个测试，现在一共 24 个，全部通过。

备注里没有编号的红字发票现在报“缺少红字信息表编号”，这是真问题。下一步是尾差，需要一个数：一张发票允许差几分？
""",
        tag="a5",
    )


def tolerance(s):
    s.user("尾差先按 0.05 元，含 0.05。超过的才报。写成常量，不要散落在代码里。", tag="u6")
    s.agent(
        "常量 `容差` 已经有了，比较是 `>=`，要改成 `>` 才是“含”。",
        edit("fapiao/rules.py", '容差 = Decimal("0.01")', "# 多行明细逐行舍入再相加，与整张计算会差几分；不超过这个数（含）不算问题。\n容差 = Decimal(\"0.05\")"),
        edit("fapiao/rules.py", "    if abs(差额) >= 容差:", "    if abs(差额) > 容差:"),
        bash(TESTS),
        bash(CLI),
        tag="tol5",
    )
    s.agent("改好了，剩下的税额问题都是 1.00 元以上的差额，看起来都是真的。补一个边界测试：0.05 不报，0.06 要报。", 
        edit(
            "tests/test_rules.py",
            "    def test_合计(self):",
            '    def test_尾差(self):\n        self.assertEqual(self.说明(rules.查税额(造(税额="13.05"))), [])\n'
            '        self.assertEqual(self.说明(rules.查税额(造(税额="12.95"))), [])\n'
            '        self.assertEqual(len(self.说明(rules.查税额(造(税额="13.06")))), 1)\n\n    def test_合计(self):',
        ),
        bash(TESTS),
        tag="tol5-test",
    )
    s.note(
        "集团通知",
        """
集团财务〔2026〕18 号：各子公司核对增值税发票时，单张发票税额尾差统一按 0.06 元（含）掌握，自 2026 年 4 月 1 日起执行。
超过的部分由各公司财务部与供应商核实，并在 15 个工作日内处理完毕。
""",
        tag="note1",
    )
    s.user("刚收到集团的通知，尾差统一改成 0.06 元（含），不是 0.05 了。请改过来，注释里写上文号：集团财务〔2026〕18 号。", tag="u7")
    s.agent(
        "改成 0.06，测试跟着改。",
        edit(
            "fapiao/rules.py",
            "# 多行明细逐行舍入再相加，与整张计算会差几分；不超过这个数（含）不算问题。\n容差 = Decimal(\"0.05\")",
            "# 多行明细逐行舍入再相加，与整张计算会差几分；不超过这个数（含）不算问题。\n# 依据：集团财务〔2026〕18 号。\n容差 = Decimal(\"0.06\")",
        ),
        edit(
            "tests/test_rules.py",
            '        self.assertEqual(self.说明(rules.查税额(造(税额="13.05"))), [])\n        self.assertEqual(self.说明(rules.查税额(造(税额="12.95"))), [])\n'
            '        self.assertEqual(len(self.说明(rules.查税额(造(税额="13.06")))), 1)',
            '        self.assertEqual(self.说明(rules.查税额(造(税额="13.06", 合计="113.06"))), [])\n        self.assertEqual(self.说明(rules.查税额(造(税额="12.94"))), [])\n'
            '        self.assertEqual(len(self.说明(rules.查税额(造(税额="13.07")))), 1)',
        ),
        bash(TESTS),
        bash(CLI),
        tag="tol6",
    )
    s.agent("还有没有别处写着 0.05 或者旧的说法？", grep("0\\.05|容差|尾差"), grep("负数|银行家|HALF_EVEN"), read("README.md"), tag="leftover")
    s.agent("`容差` 现在是 0.06 元（含），依据写在注释里；25 个测试全部通过，代码里没有旧的数。README 还是六条规则，需要更新。", tag="a6")
    s.shell("git status --short", tag="shell1")


def finish(s):
    s.user(
        """
接下来：
1. README 更新成七条规则，写清楚尾差和红字
2. 决定写进 docs/决定.md，包括被否决的做法和理由
3. 版本号 3.2.1，不是 3.3.0，陈会计的机器上固定了 3.2
4. 用 GB18030 编码的文件试一次，上海分公司导出的就是这种编码
先不要提交。
""",
        tag="u8",
    )
    s.agent(
        "文档和版本号。",
        edit("README.md", "2. **税额**：税额应等于金额乘以税率，四舍五入到分。", "2. **税额**：税额应等于金额乘以税率，四舍五入到分，允许 0.06 元（含）的尾差。"),
        edit("README.md", "6. **名录**：销售方必须在供应商名录里，税号必须一致。", "6. **名录**：销售方必须在供应商名录里，税号必须一致；名称的全角和半角写法视为相同。\n7. **红字**：负数发票的备注里必须有 12 位的红字信息表编号，三个金额的正负号一致。"),
        edit("README.md", "| `rules.py` | 六条核对规则 |", "| `rules.py` | 七条核对规则 |"),
        edit("fapiao/rules.py", '"""六条核对规则。', '"""七条核对规则。'),
        edit("fapiao/__init__.py", '__version__ = "3.2.0"', '__version__ = "3.2.1"'),
        write("docs/决定.md", DECISION),
        bash("git diff README.md fapiao/__init__.py"),
        tag="docs",
    )
    s.agent(
        "再用 GB18030 试一次。转换后的文件放在临时目录，不碰 data/。",
        bash(
            "mkdir -p 临时 && iconv -f UTF-8 -t GB18030 data/2026-03.csv > 临时/2026-03.csv && iconv -f UTF-8 -t GB18030 data/供应商.csv > 临时/供应商.csv && "
            "python3 -m fapiao.cli 临时/2026-03.csv --名录 临时/供应商.csv > 临时/甲.txt; " + CLI + " > 临时/乙.txt; cmp 临时/甲.txt 临时/乙.txt && echo 两份报告完全相同"
        ),
        bash("printf '发票代码,发票号码\\n\\377\\377\\n' > 临时/2026-04.csv; python3 -m fapiao.cli 临时/2026-04.csv --名录 data/供应商.csv"),
        bash("sed 's/五金件/五金件/; 5s/,13%,/,十三,/; 5s/,6%,/,六,/; 5s/,9%,/,九,/' data/2026-03.csv > 临时/2026-05.csv; python3 -m fapiao.cli 临时/2026-05.csv --名录 data/供应商.csv"),
        tag="gb18030",
    )
    s.agent(
        "编码没有问题：两种编码的报告完全相同，坏文件也有清楚的中文报错。清理临时目录，再做一轮完整的检查。",
        bash("rm -r 临时 && git status --short"),
        bash(TESTS),
        bash(CLI + " --供应商"),
        tag="round",
    )
    s.user("陈会计想知道剩下的每一张为什么是真问题，请逐类说明，最好能列出原始记录让她核对。", tag="u9")
    for tag, rule, words in (
        ("why1", "税额", "先看税额：差额超过 0.06 元的。"),
        ("why2", "期间", "期间：二月份开的票混进了三月份。"),
        ("why3", "重复", "重复：同一代码和号码出现两次。"),
        ("why4", "红字", "红字：负数，但是备注里没有编号。"),
    ):
        s.agent(
            words,
            bash(f"{CLI} --只看 {rule} | sed -n '/^第/p'"),
            bash(
                f"{CLI} --只看 {rule} | sed -n 's/^第 *\\([0-9]*\\) 行.*/\\1/p' | while read 行; do sed -n \"${{行}}p\" data/2026-03.csv; done"
            ),
            tag=tag,
        )
    s.agent(
        """
逐类说明：

- **税额**：差额是 1.00、2.50、13.00 元上下，不是尾差，需要供应商重开；
- **期间**：开票日期是二月，应当放进二月的申报或者说明原因；
- **重复**：整行重复导出，第二行应当剔除；
- **红字**：备注为空，需要补红字信息表编号。

每一张的原始记录都列在上面。
""",
        tag="a7",
    )
    for index, (path, words) in enumerate(REVIEW, 1):
        s.agent(words, read(path), tag=f"review{index}")
    s.user("再造一份四月份的大一点的数据，400 张，种子 20260430，看看有没有新的误报类型。造在临时目录里，不要放进 data/。", tag="u10")
    s.agent(
        "先读生成脚本，再运行。",
        read("tools/gen_data.py"),
        bash("python3 tools/gen_data.py --张数 400 --种子 20260430 --目录 临时 && python3 -m fapiao.cli 临时/2026-03.csv --名录 临时/供应商.csv"),
        tag="april",
    )
    s.agent("看一段原始数据，和报告对照。", read("临时/2026-03.csv", limit=150), tag="april-data")
    s.agent("没有新的类型：仍然只有税额、期间、重复、红字四类，名录 0 个。按供应商再看一次汇总，然后清理。",
        bash("python3 -m fapiao.cli 临时/2026-03.csv --名录 临时/供应商.csv --供应商 | sed -n '/张\\t/p'"),
        bash("rm -r 临时 && git status --short"),
    )
    s.agent("对第二批数据，我在仓库外没有留下任何文件；`data/` 与导入时一致：", bash("git diff --stat HEAD -- data/ && git ls-files -s data/"), tag="untouched")
    s.user("好，可以提交了，一个提交，说明用中文。不要打标签，发布由老周负责。", tag="u11")
    s.agent(
        "",
        bash("git add -A && git commit -q -m '修正三月份核对的误报：四舍五入、全角半角、红字发票、尾差 0.06 元；版本 3.2.1' && git log --oneline && git -c core.quotePath=false show --stat --format=%s HEAD"),
        tag="commit",
    )
    s.agent(
        """
已经提交，没有打标签，发布由老周负责。

- 舍入 `ROUND_HALF_UP`、名称 NFKC、红字规则、尾差 0.06 元（含），版本 3.2.1；
- 25 个测试全部通过，`data/` 没有改动；
- 还没有做的：与供应商核实剩下的发票，由财务部在 4 月 10 日之前完成。
""",
        tag="a8",
    )


REVIEW = (
    ("fapiao/rules.py", "提交之前逐个文件自查。先看规则。"),
    ("fapiao/money.py", "规则没有问题。再看金额，确认没有 float。"),
    ("fapiao/names.py", "金额也对。名称：`upper` 会不会影响中文？不会，只影响字母。"),
    ("fapiao/report.py", "报告：红字合计用的是 Decimal(0) 作起点，正确。"),
    ("fapiao/reader.py", "读取部分没有改动，但是要确认表头有 BOM 的情况：`utf-8-sig` 已经处理。"),
    ("fapiao/cli.py", "命令行没有改动，`--只看 红字` 可以直接使用。"),
    ("fapiao/model.py", "字段没有改动。注意 `问题.文字` 的行号宽度是 4，够用。"),
    ("tests/test_rules.py", "测试：尾差的边界 0.06 和 0.07 都有。"),
    ("tests/test_red.py", "红字的六个测试名称都说明了检查的内容。"),
    ("tests/test_names.py", "名称的测试既有相同的，也有一字之差的。"),
    ("tests/test_money.py", "半分的测试包括负数。"),
    ("docs/决定.md", "最后对照决定文档里的数字：25 张、0.06 元、12 位，都与代码一致。"),
    ("README.md", "README 的七条规则也一致。"),
    ("fapiao/errors.py", "错误类没有改动，信息仍然是中文。"),
    ("tests/test_reader.py", "读取的测试：两种编码、缺列、坏金额、税率写法都在。"),
    ("fapiao/__init__.py", "最后确认版本号是 3.2.1。"),
)
